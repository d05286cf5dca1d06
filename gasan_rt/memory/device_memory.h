/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What memory/ keeps for each device. Any thread; each member says which lock guards it. */
#ifndef GASAN_RT_DEVICE_MEMORY_H
#define GASAN_RT_DEVICE_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gasan_range;
struct gasan_ranges;
struct gasan_rt_device;

struct gasan_device_memory {
  /* device_bounds.c */
  struct gasan_ranges *ranges; /* NULL: such memory is not checked */
  pthread_mutex_t ranges_lock;
  struct gasan_range *uploaded; /* what `ranges` holds; under the lock, like its count */
  uint64_t uploaded_count;
  _Atomic uint64_t uploads;        /* so far */
  _Atomic uint64_t uploaded_epoch; /* of what was uploaded */

  /* peers.c: a bit for each ordinal whose pool the device's kernels may use */
  _Atomic uint64_t reaches;

  /* upload.c */
  _Atomic uint64_t launches_begun, launches_made, launches_complete;
  _Atomic bool upload_wanted;
};

/* Makes the part of a device whose pool and parameters are there. One thread at a time. */
void gasan_device_memory_open(struct gasan_rt_device *state);

#endif
