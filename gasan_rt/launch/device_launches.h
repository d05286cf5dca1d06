/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What launch/ keeps for each device. Any thread; each member says which lock guards it. */
#ifndef GASAN_RT_DEVICE_LAUNCHES_H
#define GASAN_RT_DEVICE_LAUNCHES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "gasan_rt/launch/stack_limit.h"

struct gasan_rt_device;
struct gasan_view_mirror;

struct gasan_device_launches {
  /* launch_log.c: launches, those of them that started a grid, and whether grids were started that we could not count.
   * Written under its lock, but for numbers_shifted. */
  _Atomic uint64_t launches, grids;
  _Atomic bool numbers_shifted;

  /* ring.c: what was reported since the ring was last emptied, one report a site and launch. Written under the lock. */
  pthread_mutex_t ring_lock;
  _Atomic uint32_t seen_records;
  uint32_t reported_count;
  uint64_t reported_keys[GASAN_RING_RECORDS];

  /* stack_limit.c, with a lock of its own */
  struct gasan_stack_limit stack;

  /* view_table.c, under the lock of view_records.c; NULL: no table */
  struct gasan_view_mirror *_Atomic views;
  /* view_records.c */
  _Atomic bool views_changed;
  uint64_t views_frees;

  /* device_error.c: a report has said that the device has stopped a kernel */
  _Atomic bool error_reported;
};

/* Makes the part of a device whose pool is there. One thread at a time. */
void gasan_device_launches_open(struct gasan_rt_device *state);

#endif
