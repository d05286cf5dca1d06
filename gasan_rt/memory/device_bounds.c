/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/device_bounds.h"

#include <stdlib.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/access_trace.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_ranges.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "shadow/range_table.h"

void gasan_lookup_open(struct gasan_rt_device *state) {
  struct gasan_params *params = &state->params;
  if (gasan_options()->strict_temporal)
    params->flags |= GASAN_FLAG_STRICT_TEMPORAL;
  if (gasan_on_error_continues())
    params->flags |= GASAN_FLAG_CONTINUE;
  struct gasan_status status = gasan_ranges_create(state->device, &state->memory->ranges);
  if (gasan_ok(status)) {
    params->foreign = gasan_ranges_address(state->memory->ranges);
  } else {
    state->memory->ranges = NULL;
    gasan_rt_warn("device %d: managed, page-locked and imported memory is not checked (%s, driver error %d)",
                  state->device->ordinal, gasan_status_text(status), status.driver_error);
  }
  /* Counting costs an atomic addition for each pointer. */
  struct gasan_counters counters = {.trace = gasan_trace_open(state)};
  if (!gasan_options()->print_stats && !counters.trace)
    return;
  if (!gasan_ok(state->device->kind->device_alloc(state->device, sizeof counters, &params->counters)))
    params->counters = 0;
  else if (counters.trace)
    state->device->kind->write(state->device, params->counters, &counters, sizeof counters);
}

static bool add_chunk(const struct gasan_chunk *chunk, void *context) {
  if (!chunk->is_divided)
    gasan_foreign_ranges_add(context, chunk->base, chunk->size);
  return true;
}

static void add_region_bounds(const struct gasan_range *range, void *context) {
  gasan_foreign_ranges_append(context, *range);
}

static void add_pool(struct gasan_rt_device *owner, void *context) {
  gasan_pool_each_live(owner->pool, add_chunk, context);
  gasan_pool_each_region_bounds(owner->pool, true, add_region_bounds, context);
}

static uint64_t epoch_of_ranges(struct gasan_rt_device *state) {
  return gasan_foreign_epoch() + gasan_peers_epoch(state) + (state->pool ? gasan_pool_region_epoch(state->pool) : 0);
}

struct gasan_status gasan_lookup_upload(struct gasan_rt_device *state) {
  if (!state->memory->ranges || epoch_of_ranges(state) == atomic_load(&state->memory->epoch))
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&state->memory->ranges_lock);
  struct gasan_foreign_ranges list;
  /* Read the epoch before the list is made: changes during the upload are then uploaded again. */
  uint64_t epoch = epoch_of_ranges(state);
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  bool complete = gasan_foreign_ranges_make(&list);
  gasan_peers_each(state, add_pool, &list);
  if (state->pool)
    gasan_pool_each_region_bounds(state->pool, false, add_region_bounds, &list);
  gasan_foreign_ranges_sort(&list);
  if (complete && list.complete)
    status = gasan_ranges_write(state->memory->ranges, list.values, list.count);
  if (gasan_ok(status)) {
    struct gasan_range *old = state->memory->uploaded;
    state->memory->uploaded = list.values;
    state->memory->uploaded_count = list.count;
    list.values = old;
    atomic_fetch_add(&state->memory->uploads, 1);
    atomic_store(&state->memory->epoch, epoch);
  }
  free(list.values);
  pthread_mutex_unlock(&state->memory->ranges_lock);
  return status;
}

static struct gasan_bounds foreign_bounds(struct gasan_rt_device *state, uint64_t pointer) {
  struct gasan_bounds bounds = gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
  pthread_mutex_lock(&state->memory->ranges_lock);
  const volatile struct gasan_range *range =
      gasan_ranges_floor(state->memory->uploaded, state->memory->uploaded_count, pointer);
  if (range && pointer <= range->last)
    bounds = gasan_bounds_make(range->base, range->size, GASAN_OBJECT_MEMORY);
  pthread_mutex_unlock(&state->memory->ranges_lock);
  return bounds;
}

/* Searches in the order of __gasan_bounds_global. */
struct gasan_bounds gasan_lookup_bounds(struct gasan_rt_device *state, uint64_t pointer) {
  struct gasan_bounds bounds;
  if (state->pool && gasan_pool_bounds(state->pool, pointer, &bounds))
    return bounds.object == GASAN_OBJECT_REGIONS ? foreign_bounds(state, pointer) : bounds;
  if (pointer < GASAN_NULL_PAGE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_NULL);
  return foreign_bounds(state, pointer);
}

/* Both counts only grow, so their sum changes with either. */
uint64_t gasan_lookup_epoch(const struct gasan_rt_device *state) {
  uint64_t pool = state->pool ? gasan_pool_epoch(state->pool) : 0;
  return pool + atomic_load(&state->memory->uploads);
}

struct gasan_counters gasan_lookup_counters(struct gasan_rt_device *state) {
  struct gasan_counters counters = {0};
  if (state->params.counters &&
      !gasan_ok(state->device->kind->read(state->device, &counters, state->params.counters, sizeof counters)))
    counters = (struct gasan_counters){0};
  return counters;
}
