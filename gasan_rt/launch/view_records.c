/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/view_records.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/map.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/view_table.h"
#include "gasan_rt/memory/arrays.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/range_check.h"

#define PAST 256u

/* The record of an object's number. Never freed. */
struct record {
  struct gasan_view view; /* the latest object with the number */
  bool changed;           /* the table's entry must change, once all launches up to `after` are complete */
  uint64_t after;
  struct record *next_changed;
  struct gasan_map_entry by_object;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By the objects' numbers. Several devices, and textures and surfaces, may share a number. */
GASAN_MAP(records, 10);
static struct record *changed;       /* list of the records whose change is not uploaded yet, of all devices */
static struct gasan_view past[PAST]; /* objects whose numbers were reused */
static uint32_t past_count, last_number;
static _Atomic uint64_t linear_count; /* usable textures on linear memory */

/* Returns the table's entry for the view. Textures that were never destroyed or freed are not in the table. */
static struct gasan_view_slot slot_of(const struct gasan_view *view) {
  struct gasan_view_slot slot = {.key = gasan_view_key(view->object, view->is_surface),
                                 .number = view->number,
                                 .row = UINT32_MAX,
                                 .height = 1,
                                 .depth = 1};
  if (view->has_array) {
    size_t row = gasan_array_row(&view->array);
    slot.row = row < UINT32_MAX ? (uint32_t)row : UINT32_MAX;
    slot.height = (uint32_t)gasan_array_height(&view->array);
    slot.depth = (uint32_t)gasan_array_depth(&view->array);
  }
  slot.texel = view->texel;
  slot.state = view->end != GASAN_VIEW_USABLE        ? GASAN_VIEW_DEAD
               : view->is_surface && view->has_array ? GASAN_VIEW_LIVE
                                                     : GASAN_VIEW_UNCHECKED;
  return slot;
}

static struct record *record_of(struct gasan_map_entry *entry) {
  return GASAN_MAP_OWNER(entry, struct record, by_object);
}

/* Must be called with the lock, like all functions below. Returns NULL if there is no record, or no memory for one. */
static struct record *find_record(int ordinal, bool is_surface, uint64_t object, bool create) {
  struct record *record = record_of(gasan_map_find(&records, object));
  while (record && (record->view.is_surface != is_surface || record->view.ordinal != ordinal))
    record = record_of(gasan_map_find_next(&record->by_object));
  if (!record && create && (record = calloc(1, sizeof *record)))
    gasan_map_insert(&records, &record->by_object, object);
  return record;
}

static void note_change(struct record *record, uint64_t after) {
  record->after = after;
  if (record->changed)
    return;
  record->changed = true;
  record->next_changed = changed;
  changed = record;
  struct gasan_rt_device *state = gasan_rt_device(record->view.ordinal);
  if (state)
    atomic_store(&state->launches->views_changed, true);
}

static void end_view(struct record *record, enum gasan_view_end end) {
  linear_count -= record->view.end == GASAN_VIEW_USABLE && record->view.memory;
  record->view.end = end;
  note_change(record, gasan_launch_latest());
}

static void add_view(struct gasan_rt_device *state, const struct gasan_view *view) {
  pthread_mutex_lock(&lock);
  struct record *record = find_record(view->ordinal, view->is_surface, view->object, true);
  if (record) {
    struct gasan_view_slot entry;
    const bool is_in_table = gasan_view_table_find(state, gasan_view_key(view->object, view->is_surface), &entry);
    if (record->view.number)
      past[past_count++ % PAST] = record->view;
    linear_count -= record->view.number && record->view.end == GASAN_VIEW_USABLE && record->view.memory;
    linear_count += view->memory != 0;
    /* No launch uses a dead object any more, so the entry of its successor may be written at once. */
    const bool free_for_use = !is_in_table || (entry.state == GASAN_VIEW_DEAD && !record->changed);
    record->view = *view;
    record->view.number = ++last_number;
    note_change(record, free_for_use ? 0 : gasan_launch_latest());
  }
  pthread_mutex_unlock(&lock);
}

bool gasan_view_find(uint32_t number, struct gasan_view *view) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; i < PAST && !found; i++)
    if ((found = past[i].number == number))
      *view = past[i];
  for (struct gasan_map_entry *entry = gasan_map_next(&records, NULL); entry && !found;
       entry = gasan_map_next(&records, entry))
    if ((found = record_of(entry)->view.number == number))
      *view = record_of(entry)->view;
  pthread_mutex_unlock(&lock);
  return found;
}

uint32_t gasan_views_latest(void) {
  pthread_mutex_lock(&lock);
  const uint32_t latest = last_number;
  pthread_mutex_unlock(&lock);
  return latest;
}

void gasan_views_array_freed(const void *handle, uint32_t until, struct gasan_pool_caller caller) {
  pthread_mutex_lock(&lock);
  for (struct gasan_map_entry *entry = gasan_map_next(&records, NULL); entry; entry = gasan_map_next(&records, entry)) {
    struct record *record = record_of(entry);
    if (record->view.number <= until && record->view.end == GASAN_VIEW_USABLE && record->view.has_array &&
        record->view.array.whole == handle) {
      record->view.array.is_freed = true;
      record->view.array.freed = caller;
      end_view(record, GASAN_VIEW_ARRAY_FREED);
    }
  }
  pthread_mutex_unlock(&lock);
}

/* Returns true if the chunk or range of the memory is freed. */
static bool is_freed(uint64_t memory, struct gasan_chunk *chunk) {
  const void *pointer = (const void *)(uintptr_t)memory;
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  struct gasan_foreign range;
  if (owner)
    return gasan_pool_find(owner->pool, memory, chunk) && chunk->state == GASAN_CHUNK_FREED &&
           memory - chunk->base < chunk->size;
  if (!gasan_foreign_find(pointer, &range) || range.chunk.state != GASAN_CHUNK_FREED || !range.quarantined)
    return false;
  *chunk = range.chunk;
  return true;
}

/* Ends textures whose linear memory was freed. This search is made at launches of kernels with textures, because frees
 * are more frequent than such launches. */
static void end_linear(struct gasan_rt_device *state) {
  for (struct gasan_map_entry *entry = gasan_map_next(&records, NULL); entry && linear_count;
       entry = gasan_map_next(&records, entry)) {
    struct gasan_view *view = &record_of(entry)->view;
    if (view->memory && view->end == GASAN_VIEW_USABLE && view->ordinal == state->device->ordinal &&
        is_freed(view->memory, &view->chunk))
      end_view(record_of(entry), GASAN_VIEW_MEMORY_FREED);
  }
}

static uint64_t frees_so_far(const struct gasan_rt_device *state) {
  struct gasan_pool_counters counters = {0};
  if (state->pool)
    gasan_pool_counters(state->pool, &counters);
  return counters.frees + gasan_foreign_epoch();
}

/* Caches results of are_complete during one upload. */
struct known {
  uint64_t complete, running; /* all launches up to `complete` are complete; some up to `running` may run */
};

static bool are_complete(struct gasan_rt_device *state, uint64_t after, struct known *known) {
  if (after <= known->complete || after >= known->running)
    return after <= known->complete;
  const bool complete = gasan_launch_complete_until(state, after);
  *(complete ? &known->complete : &known->running) = after;
  return complete;
}

/* Writes the record's change to the table. Returns false if the change must wait for launches, or if the device has
 * refused it. */
static bool upload_record(struct gasan_rt_device *state, const struct record *record, struct known *known) {
  struct gasan_view_slot slot = slot_of(&record->view), entry;
  const bool is_in_table = gasan_view_table_find(state, slot.key, &entry);
  if (!is_in_table && slot.state == GASAN_VIEW_UNCHECKED)
    return true;
  if (are_complete(state, record->after, known))
    return gasan_view_table_write(state, &slot);
  if (is_in_table && entry.state != GASAN_VIEW_UNCHECKED && entry.number != slot.number) {
    entry.state = GASAN_VIEW_UNCHECKED;
    gasan_view_table_write(state, &entry);
  }
  return false;
}

void gasan_views_upload(struct gasan_rt_device *state) {
  if (!state->params.views || (!atomic_load(&state->launches->views_changed) && !atomic_load(&linear_count)))
    return;
  pthread_mutex_lock(&lock);
  if (atomic_load(&linear_count)) {
    uint64_t frees = frees_so_far(state);
    if (frees != state->launches->views_frees)
      end_linear(state);
    state->launches->views_frees = frees;
  }
  bool waits = false;
  struct known known = {0, UINT64_MAX};
  for (struct record **link = &changed; *link;) {
    struct record *record = *link;
    if (record->view.ordinal == state->device->ordinal && upload_record(state, record, &known)) {
      *link = record->next_changed;
      record->changed = false;
      continue;
    }
    waits |= record->view.ordinal == state->device->ordinal;
    link = &record->next_changed;
  }
  atomic_store(&state->launches->views_changed, waits);
  pthread_mutex_unlock(&lock);
}

/* Returns the state of the current device. Returns NULL if the current context is not the device's primary one: an
 * object's number belongs to its context, and kernels of other contexts are not checked. */
static struct gasan_rt_device *state_of_context(void) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || (state->device->kind->is_current && !state->device->kind->is_current(state->device)))
    return NULL;
  return state;
}

static void set_memory(struct gasan_view *view, const void *memory, const struct cudaChannelFormatDesc *format) {
  view->memory = (uint64_t)(uintptr_t)memory;
  view->texel = (uint32_t)gasan_texel_size(format);
}

void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api) {
  struct gasan_rt_device *state = state_of_context();
  if (!state || !object)
    return;
  struct gasan_view view = {.object = object,
                            .ordinal = state->device->ordinal,
                            .is_surface = is_surface,
                            .created = gasan_memory_caller(api)};
  if (!resource)
    view.has_array = false;
  else if (resource->resType == cudaResourceTypeArray)
    view.has_array = gasan_array_find(resource->res.array.array, false, &view.array);
  else if (resource->resType == cudaResourceTypeMipmappedArray)
    view.has_array = gasan_array_find(resource->res.mipmap.mipmap, true, &view.array);
  else if (resource->resType == cudaResourceTypeLinear)
    set_memory(&view, resource->res.linear.devPtr, &resource->res.linear.desc);
  else if (resource->resType == cudaResourceTypePitch2D)
    set_memory(&view, resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc);
  if (view.has_array)
    view.texel = view.array.texel;
  add_view(state, &view);
}

void gasan_views_note_destroyed(bool is_surface, uint64_t object, uint32_t until, const char *api) {
  struct gasan_rt_device *state = state_of_context();
  if (!state)
    return;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  pthread_mutex_lock(&lock);
  struct record *record = find_record(state->device->ordinal, is_surface, object, false);
  if (record && record->view.number <= until && record->view.end != GASAN_VIEW_DESTROYED) {
    record->view.destroyed = caller;
    end_view(record, GASAN_VIEW_DESTROYED);
  }
  pthread_mutex_unlock(&lock);
}
