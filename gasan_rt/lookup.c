#include "gasan_rt/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "gasan_rt/foreign.h"
#include "gasan_rt/report.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "shadow/ranges.h"

enum gasan_pool_lookup gasan_lookup_option(void) {
  static const struct {
    const char *name;
    enum gasan_pool_lookup lookup;
  } lookups[] = {
      {"pagemap", GASAN_POOL_LOOKUP_PAGEMAP}, {"tree", GASAN_POOL_LOOKUP_TREE}, {"list", GASAN_POOL_LOOKUP_LIST}};
  const char *wanted = gasan_options()->lookup;
  for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++)
    if (strcmp(wanted, lookups[i].name) == 0)
      return lookups[i].lookup;
  gasan_report_fatal("GASAN_OPTIONS=lookup=%s: use pagemap, tree or list", wanted);
}

void gasan_lookup_open(struct gasan_rt_device *state) {
  struct gasan_params *params = &state->params;
  if (gasan_options()->strict_temporal)
    params->flags |= GASAN_FLAG_STRICT_TEMPORAL;
  struct gasan_status status = gasan_ranges_create(state->device, &state->foreign);
  if (gasan_ok(status)) {
    params->foreign = gasan_ranges_address(state->foreign);
  } else {
    state->foreign = NULL;
    gasan_rt_warn("device %d: managed, page-locked and imported memory is not checked (%s, driver error %d)",
                  state->device->ordinal, gasan_status_text(status), status.driver_error);
  }
  /* Counting costs an atomic addition a pointer. */
  if (gasan_options()->print_stats &&
      !gasan_ok(state->device->kind->device_alloc(state->device, sizeof(struct gasan_lookup_counters), &params->counters)))
    params->counters = 0;
}

/* The live ranges, and the freed ones whose memory is held. */
struct list {
  struct gasan_range *values;
  uint64_t count, room;
  uint32_t open_ended; /* the last one's kind, if it is one of those */
  bool complete;
};

static void add(const struct gasan_foreign *range, void *context) {
  struct list *list = context;
  const struct gasan_chunk *chunk = &range->chunk;
  struct gasan_range *last = list->count ? &list->values[list->count - 1] : NULL;
  bool live = chunk->state == GASAN_CHUNK_LIVE;
  /* Where two registered or mapped ranges touch, the object goes on. */
  if (last && live && last->size && range->kind == list->open_ended && last->last == chunk->base) {
    last->size += chunk->size;
    last->last += chunk->size;
    return;
  }
  if (list->count == list->room) {
    uint64_t room = list->room ? list->room * 2 : 64;
    struct gasan_range *values = realloc(list->values, room * sizeof *values);
    list->complete &= values != NULL;
    if (!values)
      return;
    list->values = values;
    list->room = room;
  }
  /* The pointer past the end is this range's, unless another begins there. */
  list->values[list->count++] = (struct gasan_range){.start = chunk->base,
                                                     .last = chunk->base + chunk->size,
                                                     .base = chunk->base,
                                                     .size = live ? chunk->size : 0};
  list->open_ended = live ? range->kind & GASAN_FOREIGN_OPEN_ENDED : 0;
}

struct gasan_status gasan_lookup_upload(struct gasan_rt_device *state) {
  if (!state->foreign || gasan_foreign_generation() == atomic_load(&state->foreign_generation))
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&state->foreign_lock);
  struct list list = {.complete = true};
  uint64_t generation = gasan_foreign_generation(); /* before: what changes meanwhile is uploaded again */
  gasan_foreign_each(add, &list);
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  if (list.complete)
    status = gasan_ranges_write(state->foreign, list.values, list.count);
  if (gasan_ok(status))
    atomic_store(&state->foreign_generation, generation);
  free(list.values);
  pthread_mutex_unlock(&state->foreign_lock);
  return status;
}

uint64_t gasan_lookup_unknown(struct gasan_rt_device *state) {
  struct gasan_lookup_counters counters = {0};
  if (state->params.counters &&
      !gasan_ok(state->device->kind->read(state->device, &counters, state->params.counters, sizeof counters)))
    counters.unknown = 0;
  return counters.unknown;
}
