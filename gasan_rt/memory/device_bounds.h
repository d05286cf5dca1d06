/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device data of BST mode in addition to the pool's tables: foreign ranges, and counters. Any thread. One lock for
 * each device (`ranges_lock`, device_memory.h). */
#ifndef GASAN_RT_DEVICE_BOUNDS_H
#define GASAN_RT_DEVICE_BOUNDS_H

#include "base/status.h"
#include "pool/pool.h"
#include "shadow/bounds.h"

struct gasan_rt_device;

/* Creates the tables and stores their addresses in state->params. On failure, foreign memory is not checked, and a
 * warning says so. */
void gasan_lookup_open(struct gasan_rt_device *state);
/* Uploads the ranges if they have changed; otherwise costs one atomic load. */
struct gasan_status gasan_lookup_upload(struct gasan_rt_device *state);
/* Returns the device's counters; zeros without print_stats. */
struct gasan_counters gasan_lookup_counters(struct gasan_rt_device *state);
/* Returns the bounds that a kernel launched now finds for the untagged pointer. The size is 0 if no known memory
 * contains the pointer. The device heap counts as unknown memory here, because only device code knows its chunks. */
struct gasan_bounds gasan_lookup_bounds(struct gasan_rt_device *state, uint64_t pointer);
/* Returns a number that changes when these bounds may have changed. */
uint64_t gasan_lookup_epoch(const struct gasan_rt_device *state);

#endif
