/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What BST mode needs on a device beyond the pool's tables: the ranges that are not the pool's, and counters. Any
 * thread. */
#ifndef GASAN_RT_DEVICE_BOUNDS_H
#define GASAN_RT_DEVICE_BOUNDS_H

#include "base/status.h"
#include "pool/pool.h"
#include "shadow/bounds.h"

struct gasan_rt_device;

/* Makes what the device's images get in state->params. On failure such memory is not checked, and a line says so. */
void gasan_lookup_open(struct gasan_rt_device *state);
/* Uploads the ranges if they have changed; one atomic load if not. */
struct gasan_status gasan_lookup_upload(struct gasan_rt_device *state);
/* What was counted; zeros if nothing was. */
struct gasan_counters gasan_lookup_counters(struct gasan_rt_device *state);
/* The bounds that a kernel launched now would find for a pointer that it is given, without tags; size 0 for one that
 * belongs to no known memory, too: only device code knows whether it leads into the device heap, and it notes the site.
 */
struct gasan_bounds gasan_lookup_bounds(struct gasan_rt_device *state, uint64_t pointer);
/* Another number whenever these may have become others. */
uint64_t gasan_lookup_epoch(const struct gasan_rt_device *state);

#endif
