/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/device_launches.h"

#include <stdlib.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"

void gasan_device_launches_open(struct gasan_rt_device *state) {
  struct gasan_device_launches *launches = calloc(1, sizeof *launches);
  GASAN_CHECK(launches);
  pthread_mutex_init(&launches->ring_lock, NULL);
  pthread_mutex_init(&launches->stack.lock, NULL);
  /* The copies of a moving pool may count as grids. */
  launches->numbers_shifted = state->pool && gasan_pool_moves(state->pool) && state->device->kind->sets_are_grids;
  state->launches = launches;
}
