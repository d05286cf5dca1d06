/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host's side of the device heap of BST mode (base/heap.h): creates the arena, and reads chunks for reports. Any
 * thread; no lock of its own. */
#ifndef GASAN_RT_DEVICE_HEAP_H
#define GASAN_RT_DEVICE_HEAP_H

#include <stdbool.h>

#include "base/heap.h"
#include "gasan_rt/core/runtime.h"

/* Creates the heap of the device, which must be current. Its size is the present cudaLimitMallocHeapSize. Stores its
 * address in state->params. Returns false if the device already has a heap, or if there is no memory for one; in the
 * latter case, a warning says once that kernels use CUDA's own heap. Must be called by one thread at a time. */
bool gasan_heap_create(struct gasan_rt_device *state);

/* Returns true if kernels have allocated. */
bool gasan_heap_is_used(struct gasan_rt_device *state);
/* Replaces the heap by one of the present cudaLimitMallocHeapSize. Returns false if there is no heap, if kernels have
 * used it, or if there is no memory. Needs the same exclusion of threads as gasan_heap_create. */
bool gasan_heap_resize(struct gasan_rt_device *state);

/* Finds the chunk, live or freed, that holds the address. Returns false if the device has no heap, the address is not
 * in it, or no chunk was ever there. */
struct gasan_heap_found {
  uint64_t base;
  struct gasan_heap_chunk chunk;
};
bool gasan_heap_lookup(struct gasan_rt_device *state, uint64_t address, struct gasan_heap_found *found);

/* Calls visit for each live chunk, in address order. No kernel may be running. */
void gasan_heap_each_live(struct gasan_rt_device *state,
                          void (*visit)(const struct gasan_heap_chunk *chunk, void *context), void *context);

/* Frees all chunks. No kernel may be running. */
void gasan_heap_reset(struct gasan_rt_device *state);

#endif
