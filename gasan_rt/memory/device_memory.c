/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/device_memory.h"

#include <stdlib.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/device_bounds.h"

void gasan_device_memory_open(struct gasan_rt_device *state) {
  state->memory = calloc(1, sizeof *state->memory);
  GASAN_CHECK(state->memory);
  pthread_mutex_init(&state->memory->ranges_lock, NULL);
  if (state->pool && !gasan_pool_moves(state->pool) && state->tables)
    gasan_lookup_open(state);
}

bool gasan_device_memory_add_tables(struct gasan_rt_device *state) {
  if (!gasan_ok(gasan_pool_add_lookup(state->pool)))
    return false;
  gasan_pool_params(state->pool, &state->params);
  gasan_lookup_open(state);
  atomic_store(&state->tables, true);
  return true;
}
