/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of launch/ for each device. Any thread; each member names its lock. */
#ifndef GASAN_RT_DEVICE_LAUNCHES_H
#define GASAN_RT_DEVICE_LAUNCHES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "gasan_rt/launch/stack_limit.h"

struct gasan_rt_device;
struct gasan_canary_watch;
struct gasan_view_mirror;

struct gasan_device_launches {
  /* launch_log.c: the number of launches; the number of launches that started a grid; whether some grids could not be
   * counted. Written under log_lock, except numbers_shifted. */
  _Atomic uint64_t launches, grids;
  _Atomic bool numbers_shifted;

  /* ring.c: the keys (site and launch) that were reported since the ring was last emptied. Written under ring_lock. */
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

  /* canary_watch.c, under the gate; NULL: no check was launched */
  struct gasan_canary_watch *_Atomic watch;

  /* device_error.c: a report has said that the device has stopped a kernel */
  _Atomic bool error_reported;
};

/* Creates state->launches. The device's pool must exist. Must be called by one thread at a time. */
void gasan_device_launches_open(struct gasan_rt_device *state);

#endif
