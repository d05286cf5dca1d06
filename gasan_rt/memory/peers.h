/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records which devices' kernels use the memory of other devices' pools. Any thread; no lock. */
#ifndef GASAN_RT_PEERS_H
#define GASAN_RT_PEERS_H

#include "gasan_rt/core/runtime.h"

/* Returns true if the kernels of `state` may use the pool of the device `ordinal`. */
bool gasan_peers_reach(const struct gasan_rt_device *state, int ordinal);
/* Records that these kernels may, or may no longer, use the pool of `owner`. */
void gasan_peers_set(struct gasan_rt_device *state, int owner, bool reaches);

/* Calls visit for each device whose pool the kernels of `state` may use. */
void gasan_peers_each(struct gasan_rt_device *state, void (*visit)(struct gasan_rt_device *owner, void *context),
                      void *context);

/* Returns a number that changes with each allocation and free in these pools; 0 if there is none. */
uint64_t gasan_peers_epoch(struct gasan_rt_device *state);

/* Waits for the other devices that may use the owner's memory. Returns the first error, or OK. */
struct gasan_status gasan_peers_synchronize(struct gasan_rt_device *owner);

#endif
