/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/peers.h"

#include "gasan_rt/core/hooks.h"
#include "gasan_rt/memory/device_memory.h"

bool gasan_peers_reach(const struct gasan_rt_device *state, int ordinal) {
  return atomic_load(&state->memory->reaches) >> ordinal & 1;
}

void gasan_peers_each(struct gasan_rt_device *state, void (*visit)(struct gasan_rt_device *owner, void *context),
                      void *context) {
  if (!atomic_load(&state->memory->reaches))
    return;
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *owner = gasan_peers_reach(state, i) ? gasan_rt_device(i) : NULL;
    if (owner)
      visit(owner, context);
  }
}

static void add_changes(struct gasan_rt_device *owner, void *context) {
  struct gasan_pool_counters counters;
  gasan_pool_counters(owner->pool, &counters);
  *(uint64_t *)context += counters.allocations + counters.frees + gasan_pool_region_epoch(owner->pool);
}

uint64_t gasan_peers_epoch(struct gasan_rt_device *state) {
  uint64_t epoch = atomic_load(&state->memory->reaches);
  gasan_peers_each(state, add_changes, &epoch);
  return epoch;
}

struct gasan_status gasan_peers_synchronize(struct gasan_rt_device *owner) {
  struct gasan_status result = gasan_status_make(GASAN_OK);
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *user = gasan_rt_device(i);
    if (!user || user == owner || !gasan_peers_reach(user, owner->device->ordinal))
      continue;
    struct gasan_status status = gasan_rt_synchronize(user);
    gasan_rt_hooks()->waited(user, status.driver_error);
    if (gasan_ok(result))
      result = status;
  }
  return result;
}

void gasan_peers_set(struct gasan_rt_device *state, int owner, bool reaches) {
  if (reaches)
    atomic_fetch_or(&state->memory->reaches, 1ull << owner);
  else
    atomic_fetch_and(&state->memory->reaches, ~(1ull << owner));
}
