/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device's heap: malloc and free in kernels. An allocation lives until a kernel frees it or the device is reset. */
#include "base/export.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/limits.h"
#include "device/cpu/memory.h"
#include "device/cpu/worker.h"

/* The header before each allocation, which keeps the allocation aligned to 16 bytes. */
struct allocation {
  struct allocation *next, *previous;
  uint64_t size, mark;
};
_Static_assert(sizeof(struct allocation) % 16 == 0, "malloc aligns to 16 bytes");

#define LIVE_MARK 0x6761736e68656170ull /* combined with the address, so that a copied header is invalid */

static struct {
  pthread_mutex_t lock;
  struct allocation *first;
  uint64_t used;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t mark_of(const struct allocation *allocation) {
  return LIVE_MARK ^ (uintptr_t)allocation;
}

/* Counts an allocation. Returns false if the heap is full. Must be called with the lock. */
static bool claim(uint64_t size) {
  uint64_t limit = gasan_cpu_limit(cudaLimitMallocHeapSize);
  if (size > limit || heap.used > limit - size)
    return false;
  heap.used += size;
  return true;
}

static void insert(struct allocation *allocation) {
  allocation->previous = NULL;
  allocation->next = heap.first;
  if (heap.first)
    heap.first->previous = allocation;
  heap.first = allocation;
}

static void take_out(struct allocation *allocation) {
  if (allocation->next)
    allocation->next->previous = allocation->previous;
  if (allocation->previous)
    allocation->previous->next = allocation->next;
  else
    heap.first = allocation->next;
  heap.used -= allocation->size;
  allocation->mark = 0;
}

GASAN_EXPORT void *gasan_cpu_malloc(uint64_t size) {
  struct allocation *allocation = NULL;
  pthread_mutex_lock(&heap.lock);
  if (claim(size)) {
    allocation = malloc(sizeof *allocation + size);
    if (allocation) {
      allocation->size = size;
      allocation->mark = mark_of(allocation);
      insert(allocation);
    } else {
      heap.used -= size;
    }
  }
  pthread_mutex_unlock(&heap.lock);
  return allocation ? allocation + 1 : NULL;
}

/* Frees an allocation. Reading the mark at a wild address may fault, which ends the launch as an access to an illegal
 * address. */
GASAN_EXPORT void gasan_cpu_free(void *pointer) {
  if (!pointer)
    return;
  struct allocation *allocation = (struct allocation *)pointer - 1;
  bool live = __atomic_load_n(&allocation->mark, __ATOMIC_RELAXED) == mark_of(allocation);
  if (live) {
    pthread_mutex_lock(&heap.lock);
    live = allocation->mark == mark_of(allocation);
    if (live)
      take_out(allocation);
    pthread_mutex_unlock(&heap.lock);
  }
  if (!live) {
    fprintf(stderr, "gasan: kernel %s frees %p, which malloc in a kernel did not return, or which was freed before\n",
            gasan_cpu_launch_name(gasan_cpu_worker->launch), pointer);
    gasan_cpu_trap(GASAN_CPU_ERROR_LAUNCH_FAILURE);
  }
  free(allocation);
}

void gasan_cpu_heap_reset(void) {
  pthread_mutex_lock(&heap.lock);
  for (struct allocation *next, *allocation = heap.first; allocation; allocation = next) {
    next = allocation->next;
    allocation->mark = 0;
    free(allocation);
  }
  heap.first = NULL;
  heap.used = 0;
  pthread_mutex_unlock(&heap.lock);
}
