/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/host_canary.h"

#include "base/canary_check.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/canary_table.h"
#include "gasan_rt/memory/foreign.h"

#define ROOM 256u

uint32_t gasan_host_canary_room(const struct gasan_rt_device *state, size_t size, bool managed) {
  const struct gasan_device_kind *kind = state->device->kind;
  if (!size || size > SIZE_MAX - ROOM || !gasan_canaries_are_on(state))
    return 0;
  return !managed || (kind->shares_managed && kind->shares_managed(state->device)) ? ROOM : 0;
}

static void write_canary(void *end, uint32_t room) {
  volatile uint8_t *bytes = end;
  for (uint32_t i = 0; i < room; i++)
    bytes[i] = gasan_canary_byte(gasan_canary_key(), (uintptr_t)end + i);
}

uint64_t gasan_host_canary_write(struct gasan_rt_device *state, void *end, uint32_t room) {
  write_canary(end, room);
  return gasan_canary_table_count(state, gasan_canary_key());
}

static void *end_of(const struct gasan_chunk *chunk) {
  return (void *)(uintptr_t)(chunk->base + chunk->size);
}

static bool find_damage(const struct gasan_foreign *range, struct gasan_canary_damage *damage) {
  const volatile uint8_t *bytes = end_of(&range->chunk);
  bool damaged = false;
  for (uint32_t i = 0; i < range->chunk.canary_right; i++)
    if (bytes[i] != gasan_canary_byte(gasan_canary_key(), (uintptr_t)bytes + i)) {
      damage->first = damaged ? damage->first : (uintptr_t)bytes + i;
      damage->last = (uintptr_t)bytes + i;
      damaged = true;
    }
  return damaged;
}

static void report(struct gasan_rt_device *state, const struct gasan_foreign *range,
                   const struct gasan_canary_damage *damage) {
  write_canary(end_of(&range->chunk), range->chunk.canary_right);
  gasan_rt_hooks()->damaged(state, damage);
}

int gasan_host_canary_check(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, const void *base) {
  struct gasan_foreign range;
  if (!gasan_foreign_find(base, &range) || range.chunk.base != (uintptr_t)base || !range.chunk.canary_right ||
      range.chunk.state != GASAN_CHUNK_LIVE)
    return 0;
  if (range.kind == GASAN_FOREIGN_DRIVER && !gasan_capture_active()) {
    const int error = gasan_rt_synchronize(state).driver_error;
    gasan_rt_hooks()->waited(state, error);
    if (error)
      return error;
  }
  struct gasan_canary_damage damage = {
      .chunk = &range.chunk, .number = range.number, .by_host = true, .caller = caller};
  if (find_damage(&range, &damage))
    report(state, &range, &damage);
  return 0;
}

struct search {
  struct gasan_foreign range;
  struct gasan_canary_damage damage;
  bool found;
};

static void visit(const struct gasan_foreign *range, void *context) {
  struct search *search = context;
  if (search->found || !find_damage(range, &search->damage))
    return;
  search->found = true;
  search->range = *range;
}

void gasan_host_canary_check_all(struct gasan_rt_device *state) {
  struct search search = {.damage = {.by_host = true}};
  if (!gasan_canaries_are_on(state))
    return;
  gasan_foreign_each_live(visit, &search);
  search.damage.chunk = &search.range.chunk;
  search.damage.number = search.range.number;
  if (search.found)
    report(state, &search.range, &search.damage);
}
