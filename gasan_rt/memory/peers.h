/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Devices whose kernels use the memory of other devices' pools. */
#ifndef GASAN_RT_PEERS_H
#define GASAN_RT_PEERS_H

#include "gasan_rt/core/runtime.h"

/* May the state's kernels use the memory of this ordinal's pool? */
bool gasan_peers_reach(const struct gasan_rt_device *state, int ordinal);
/* They may from now on, or may not any more. */
void gasan_peers_set(struct gasan_rt_device *state, int owner, bool reaches);

/* Calls visit for each device whose pool the state's kernels may use. */
void gasan_peers_each(struct gasan_rt_device *state, void (*visit)(struct gasan_rt_device *owner, void *context),
                      void *context);

/* Changes whenever one of these pools does; 0 if there is none. */
uint64_t gasan_peers_epoch(struct gasan_rt_device *state);

/* Waits for the other devices that may use the owner's memory. The first error of one. */
struct gasan_status gasan_peers_synchronize(struct gasan_rt_device *owner);

#endif
