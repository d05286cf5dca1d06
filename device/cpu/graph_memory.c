/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of allocation nodes. */
#include <stdatomic.h>
#include <stdlib.h>

#include "device/cpu/api.h"
#include "device/cpu/graph.h"
#include "device/cpu/memory.h"

struct gasan_cpu_graph_memory {
  void *address;
  size_t size;
  unsigned references; /* of nodes and their copies */
  bool live;           /* its node has run, and it was not freed since */
  struct gasan_cpu_graph_memory *next;
};

static struct gasan_cpu_graph_memory *all;
static _Atomic bool any; /* programs without graphs do not take the lock */
static uint64_t used, used_most, reserved, reserved_most;

static void count(uint64_t *now, uint64_t *most, size_t size) {
  *now += size;
  if (*now > *most)
    *most = *now;
}

struct gasan_cpu_graph_memory *gasan_cpu_graph_memory_new(size_t size, void **address) {
  struct gasan_cpu_graph_memory *memory = malloc(sizeof *memory);
  *address = memory ? gasan_cpu_memory_alloc(size, GASAN_CPU_MEMORY_DEVICE, 0) : NULL;
  if (!*address) {
    free(memory);
    return NULL;
  }
  *memory = (struct gasan_cpu_graph_memory){.address = *address, .size = size, .references = 1, .next = all};
  all = memory;
  atomic_store(&any, true);
  count(&reserved, &reserved_most, size);
  return memory;
}

/* Frees memory that no node references and that is not live. */
static void give_back(struct gasan_cpu_graph_memory *memory) {
  if (memory->references || memory->live)
    return;
  struct gasan_cpu_graph_memory **link = &all;
  while (*link != memory)
    link = &(*link)->next;
  *link = memory->next;
  reserved -= memory->size;
  gasan_cpu_memory_dealloc(memory->address, GASAN_CPU_MEMORY_DEVICE, NULL);
  free(memory);
}

void gasan_cpu_graph_memory_hold(struct gasan_cpu_graph_memory *memory) {
  memory->references++;
}

void gasan_cpu_graph_memory_release(struct gasan_cpu_graph_memory *memory) {
  memory->references--;
  give_back(memory);
}

bool gasan_cpu_graph_memory_begin(struct gasan_cpu_graph_memory *memory) {
  if (memory->live)
    return false;
  memory->live = true;
  count(&used, &used_most, memory->size);
  return true;
}

static struct gasan_cpu_graph_memory *find(const void *address) {
  struct gasan_cpu_graph_memory *memory = all;
  while (memory && memory->address != address)
    memory = memory->next;
  return memory;
}

bool gasan_cpu_graph_memory_is(const void *address) {
  return find(address) != NULL;
}

bool gasan_cpu_graph_memory_live(const struct gasan_cpu_graph_memory *memory) {
  return memory->live;
}

bool gasan_cpu_graph_memory_end(void *address, cudaError_t *error) {
  if (!atomic_load_explicit(&any, memory_order_relaxed))
    return false;
  gasan_cpu_graph_lock();
  struct gasan_cpu_graph_memory *memory = find(address);
  if (memory && memory->live) {
    memory->live = false;
    used -= memory->size;
    give_back(memory);
    *error = cudaSuccess;
  } else if (memory) {
    *error = gasan_cpu_result(cudaErrorInvalidValue);
  }
  gasan_cpu_graph_unlock();
  return memory != NULL;
}

/* No memory is cached, so there is nothing to trim. */
cudaError_t gasan_cpu_cudaDeviceGraphMemTrim(int device) {
  return device == 0 ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidDevice);
}

static uint64_t *counter(enum cudaGraphMemAttributeType attribute) {
  switch (attribute) {
  case cudaGraphMemAttrUsedMemCurrent:
    return &used;
  case cudaGraphMemAttrUsedMemHigh:
    return &used_most;
  case cudaGraphMemAttrReservedMemCurrent:
    return &reserved;
  case cudaGraphMemAttrReservedMemHigh:
    return &reserved_most;
  }
  return NULL;
}

cudaError_t gasan_cpu_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                                     void *value) {
  const uint64_t *source = counter(attribute);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  if (!source || !value)
    return gasan_cpu_result(cudaErrorInvalidValue);
  gasan_cpu_graph_lock();
  *(uint64_t *)value = *source;
  gasan_cpu_graph_unlock();
  return gasan_cpu_check();
}

/* Accepts only high-water marks, and only the value 0, which sets them to the present use. */
cudaError_t gasan_cpu_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                                     void *value) {
  bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  if (!high || !value || *(uint64_t *)value != 0)
    return gasan_cpu_result(cudaErrorInvalidValue);
  gasan_cpu_graph_lock();
  *counter(attribute) = attribute == cudaGraphMemAttrUsedMemHigh ? used : reserved;
  gasan_cpu_graph_unlock();
  return gasan_cpu_check();
}
