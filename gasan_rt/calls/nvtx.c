/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dladdr */
#include "gasan_rt/calls/nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/suballocators.h"

/* The ABI of NVTX 3's extensions, and of version 1 of its memory extension. Each struct of the API begins with the
 * number of its version and its size. */
#define MODULE_MEMORY 1
#define COMPATIBLE 1 /* the upper byte of the module's compatId */

struct module_segment {
  size_t number, slot_count;
  intptr_t *slots;
};

struct module_info {
  uint16_t nvtx_version, size, module, compatible;
  size_t segment_count;
  struct module_segment *segments;
};

enum slot {
  SLOT_HEAP_REGISTER = 0,
  SLOT_HEAP_UNREGISTER = 1,
  SLOT_HEAP_RESET = 2,
  SLOT_REGIONS_REGISTER = 3,
  SLOT_REGIONS_RESIZE = 4,
  SLOT_REGIONS_UNREGISTER = 5,
};

#define USAGE_SUB_ALLOCATOR 1
#define TYPE_ADDRESS 1

struct address_range {
  size_t size;
  const void *base;
};

struct heap_description {
  uint16_t compatible, size;
  uint32_t reserved, usage, type;
  size_t range_size;
  const struct address_range *range;
};

struct register_batch {
  uint16_t compatible, size;
  uint32_t type;
  const void *heap;
  size_t count, element_size;
  const void *elements;
  const void **handles; /* may be NULL */
};

struct resize_batch {
  uint16_t compatible, size;
  uint32_t type;
  size_t count, element_size;
  const void *elements;
};

struct unregister_batch {
  uint16_t compatible, size;
  uint32_t reference_type; /* a pointer, or a handle, which is the pointer */
  size_t count, element_size;
  const void *elements;
};

/* Heaps whose regions are not checked: of another usage, or in memory that gasan has not allocated. */
#define MOST_IGNORED 256
static pthread_mutex_t ignored_lock = PTHREAD_MUTEX_INITIALIZER;
static const void *ignored[MOST_IGNORED];
static unsigned ignored_count;

static void ignore_heap(const void *heap) {
  pthread_mutex_lock(&ignored_lock);
  ignored[ignored_count++ % MOST_IGNORED] = heap;
  pthread_mutex_unlock(&ignored_lock);
}

/* NULL stands for all addresses of the process. */
static bool is_ignored(const void *heap) {
  bool found = heap == NULL;
  pthread_mutex_lock(&ignored_lock);
  for (unsigned i = 0; i < MOST_IGNORED && i < ignored_count; i++)
    found |= ignored[i] == heap;
  pthread_mutex_unlock(&ignored_lock);
  return found;
}

static void forget_ignored(const void *heap) {
  pthread_mutex_lock(&ignored_lock);
  for (unsigned i = 0; i < MOST_IGNORED && i < ignored_count; i++)
    if (ignored[i] == heap)
      ignored[i] = NULL;
  pthread_mutex_unlock(&ignored_lock);
}

/* Returns an element of a batch, whose struct may have grown since. NULL: it is too short. */
static const void *element_at(const void *elements, size_t element_size, size_t index, size_t least) {
  return elements && element_size >= least ? (const char *)elements + index * element_size : NULL;
}

static const void *heap_register(void *domain, const struct heap_description *heap) {
  static const char api[] = "nvtxMemHeapRegister";
  if (!heap || heap->type != TYPE_ADDRESS || heap->range_size < sizeof *heap->range || !heap->range)
    return NULL;
  const struct address_range *range = heap->range;
  forget_ignored(range->base);
  if (heap->usage != USAGE_SUB_ALLOCATOR ||
      gasan_suballocators_add_heap(api, range->base, range->size) != GASAN_REGIONS_OK)
    ignore_heap(range->base);
  return range->base;
}

static void heap_unregister(void *domain, const void *heap) {
  if (is_ignored(heap))
    forget_ignored(heap);
  else
    gasan_suballocators_remove_heap("nvtxMemHeapUnregister", heap);
}

static void heap_reset(void *domain, const void *heap) {
  if (!is_ignored(heap))
    gasan_suballocators_reset_heap("nvtxMemHeapReset", heap);
}

static void regions_register(void *domain, const struct register_batch *batch) {
  for (size_t i = 0; batch && batch->type == TYPE_ADDRESS && i < batch->count; i++) {
    const struct address_range *range =
        element_at(batch->elements, batch->element_size, i, sizeof(struct address_range));
    if (!range)
      return;
    if (!is_ignored(batch->heap))
      gasan_suballocators_add("nvtxMemRegionsRegister", range->base, range->size);
    if (batch->handles)
      batch->handles[i] = range->base;
  }
}

/* Returns false for an address in no heap of ours: its region is ignored. */
static bool is_in_heap(const void *address) {
  struct gasan_chunk region;
  enum gasan_region_result result = gasan_suballocators_find(address, &region);
  return result == GASAN_REGIONS_OK || result == GASAN_REGIONS_NO_REGION;
}

static void regions_resize(void *domain, const struct resize_batch *batch) {
  for (size_t i = 0; batch && batch->type == TYPE_ADDRESS && i < batch->count; i++) {
    const struct address_range *range =
        element_at(batch->elements, batch->element_size, i, sizeof(struct address_range));
    if (range && is_in_heap(range->base))
      gasan_suballocators_resize("nvtxMemRegionsResize", range->base, range->size);
  }
}

static void regions_unregister(void *domain, const struct unregister_batch *batch) {
  for (size_t i = 0; batch && i < batch->count; i++) {
    const void *const *region = element_at(batch->elements, batch->element_size, i, sizeof(void *));
    if (region && is_in_heap(*region))
      gasan_suballocators_end("nvtxMemRegionsUnregister", *region);
  }
}

/* NVTX switches the functions without a slot off: those for names and permissions, which gasan does not use. */
int gasan_nvtx_attach(void *module) {
  static const struct {
    enum slot slot;
    void *function;
  } functions[] = {
      {SLOT_HEAP_REGISTER, (void *)heap_register},   {SLOT_HEAP_UNREGISTER, (void *)heap_unregister},
      {SLOT_HEAP_RESET, (void *)heap_reset},         {SLOT_REGIONS_REGISTER, (void *)regions_register},
      {SLOT_REGIONS_RESIZE, (void *)regions_resize}, {SLOT_REGIONS_UNREGISTER, (void *)regions_unregister},
  };
  const struct module_info *info = module;
  if (!info || info->size < sizeof *info || info->module != MODULE_MEMORY || info->compatible >> 8 != COMPATIBLE ||
      !info->segment_count)
    return 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if ((size_t)functions[i].slot < info->segments[0].slot_count)
      info->segments[0].slots[functions[i].slot] = (intptr_t)functions[i].function;
  return 1;
}

/* Names libgasan_nvtx.so, which lies beside this library, to NVTX, unless another tool is named. A process that this
 * one starts gets the name, too; without gasan, the library does nothing there. */
__attribute__((constructor(101))) static void name_library(void) {
  char path[4096];
  if (!gasan_path_beside((void *)gasan_nvtx_attach, "libgasan_nvtx.so", path, sizeof path))
    return;
  if (!access(path, R_OK))
    setenv("NVTX_INJECTION64_PATH", path, 0);
}
