/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host's side of the device heap of BST mode (base/heap.h): making the arena, and reading chunks for reports. Any
 * thread. */
#ifndef GASAN_RT_DEVICE_HEAP_H
#define GASAN_RT_DEVICE_HEAP_H

#include <stdbool.h>

#include "base/heap.h"
#include "gasan_rt/core/runtime.h"

/* Makes the heap of the device, which is current, as large as cudaLimitMallocHeapSize says now; its address is in
 * state->params then. False: it has one already, or there is no memory for it (a line says so, once), and kernels take
 * CUDA's own. One thread at a time. */
bool gasan_heap_create(struct gasan_rt_device *state);

/* Have kernels allocated? */
bool gasan_heap_is_used(struct gasan_rt_device *state);
/* Makes another heap, of the size that cudaLimitMallocHeapSize says now. False: there was none, kernels use it already,
 * or there is no memory. Under the lock that create has. */
bool gasan_heap_resize(struct gasan_rt_device *state);

/* What an address belongs to, live or freed. False: the device has no heap, the address is not in it, or no chunk was
 * ever there. */
struct gasan_heap_found {
  uint64_t base;
  struct gasan_heap_chunk chunk;
};
bool gasan_heap_lookup(struct gasan_rt_device *state, uint64_t address, struct gasan_heap_found *found);

/* Calls visit for each live chunk, in the order of addresses, while no kernel runs. */
void gasan_heap_each_live(struct gasan_rt_device *state,
                          void (*visit)(const struct gasan_heap_chunk *chunk, void *context), void *context);

/* Ends all chunks' lives, while no kernel runs. */
void gasan_heap_reset(struct gasan_rt_device *state);

#endif
