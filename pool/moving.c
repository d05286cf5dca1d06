/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/moving.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/round.h"
#include "handles/handles.h"
#include "pool/space.h"

#define SEGMENT_UNIT (2ull << 20)
#define SPACE_SIZE                                                                                                     \
  (1ull << 60) /* a segment's chunks are placed as if it had no end; what lies beyond its memory makes it grow */

struct segment {
  struct gasan_space space; /* of offsets in the segment */
  uint64_t address, size;
  uint64_t live;
  bool pinned; /* somebody keeps device addresses of it */
  struct segment *next;
};

struct chunk {
  struct gasan_entry entry; /* base: the offset in the segment; only its space_node is used, while it is live */
  struct segment *segment;
  uint64_t handle;
};

struct gasan_moving {
  struct gasan_device *device;
  struct gasan_pool_options options;
  struct gasan_handles *ids;
  uint64_t table;                     /* on the device: entries[] */
  pthread_mutex_t lock;               /* for everything below */
  struct gasan_handle_entry *entries; /* by id */
  struct chunk **chunks;              /* by id: the last chunk that had it, live or freed; NULL: none yet */
  uint64_t id_end;                    /* greater than every id in use */
  struct segment *segments;           /* the newest first */
  struct gasan_pool_counters counters;
};

static uint64_t id_of(const struct gasan_moving *moving, uint64_t handle) {
  return gasan_handle_id(moving->options.handle_bits, handle);
}

static struct gasan_status create_tables(struct gasan_moving *moving) {
  uint64_t ids = gasan_handle_max_id(moving->options.handle_bits) + 1;
  moving->entries = calloc(ids, sizeof *moving->entries);
  moving->chunks = calloc(ids, sizeof *moving->chunks);
  if (!moving->entries || !moving->chunks)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  struct gasan_status status = gasan_handles_create_share(moving->options.handle_bits, moving->options.share,
                                                          moving->options.shares, &moving->ids);
  return gasan_ok(status)
             ? moving->device->kind->device_alloc(moving->device, ids * sizeof *moving->entries, &moving->table)
             : status;
}

struct gasan_status gasan_moving_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                        struct gasan_moving **moving) {
  if (options->handle_bits < 1 || options->handle_bits > GASAN_HANDLE_MOST_BITS)
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_moving *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  created->options = *options;
  if (created->options.alignment < GASAN_POOL_ALIGNMENT)
    created->options.alignment = GASAN_POOL_ALIGNMENT;
  created->options.redzone_min = gasan_round_up(options->redzone_min, GASAN_POOL_ALIGNMENT);
  GASAN_CHECK(pthread_mutex_init(&created->lock, NULL) == 0);
  struct gasan_status status = create_tables(created);
  if (gasan_ok(status))
    *moving = created;
  else
    gasan_moving_destroy(created);
  return status;
}

void gasan_moving_destroy(struct gasan_moving *moving) {
  while (moving->segments) {
    struct segment *next = moving->segments->next;
    moving->device->kind->plain_free(moving->device, moving->segments->address);
    free(moving->segments);
    moving->segments = next;
  }
  for (uint64_t id = 0; id < moving->id_end; id++)
    free(moving->chunks[id]);
  free(moving->chunks);
  free(moving->entries);
  gasan_handles_destroy(moving->ids);
  pthread_mutex_destroy(&moving->lock);
  free(moving);
}

uint64_t gasan_moving_table(const struct gasan_moving *moving) {
  return moving->table;
}

static struct gasan_status upload(struct gasan_moving *moving, uint64_t first, uint64_t end) {
  if (first >= end)
    return gasan_status_make(GASAN_OK);
  return moving->device->kind->write(moving->device, moving->table + first * sizeof *moving->entries,
                                     &moving->entries[first], (end - first) * sizeof *moving->entries);
}

static void set_addresses(struct gasan_moving *moving, const struct segment *segment, uint64_t address) {
  for (uint64_t id = 0; id < moving->id_end; id++) {
    const struct chunk *chunk = moving->chunks[id];
    if (chunk && chunk->entry.state == GASAN_ENTRY_LIVE && chunk->segment == segment)
      moving->entries[id].address = address + chunk->entry.base;
  }
}

/* Bytes that the segment must have for a chunk with this layout at this offset. */
static uint64_t needed_by(const struct gasan_layout *layout, uint64_t offset) {
  return gasan_round_up(offset + layout->aligned + layout->redzone, SEGMENT_UNIT);
}

/* Memory of the size wished for, or if that is too much, of the size that is needed; 0: not even that. */
static uint64_t get_memory(struct gasan_moving *moving, uint64_t wished, uint64_t needed, uint64_t *address,
                           struct gasan_status *status) {
  const struct gasan_device_kind *kind = moving->device->kind;
  *status = kind->plain_alloc(moving->device, wished, address);
  if (gasan_ok(*status))
    return wished;
  if (status->code == GASAN_ERR_OUT_OF_MEMORY && wished != needed)
    *status = kind->plain_alloc(moving->device, needed, address);
  return gasan_ok(*status) ? needed : 0;
}

/* The segment's memory becomes at least `needed` bytes, elsewhere. While nobody uses it. */
static struct gasan_status move(struct gasan_moving *moving, struct segment *segment, uint64_t needed) {
  const struct gasan_device_kind *kind = moving->device->kind;
  uint64_t address = 0, wished = segment->size * 2 > needed ? segment->size * 2 : needed;
  struct gasan_status status;
  uint64_t size = get_memory(moving, wished, needed, &address, &status);
  if (!size)
    return status;
  status = kind->plain_copy(moving->device, address, segment->address, segment->size);
  if (gasan_ok(status)) {
    set_addresses(moving, segment, address);
    status = upload(moving, 0, moving->id_end);
    if (!gasan_ok(status))
      set_addresses(moving, segment, segment->address); /* the next upload says so, if the device still works */
  }
  if (!gasan_ok(status)) {
    kind->plain_free(moving->device, address);
    return status;
  }
  moving->counters.mapped_bytes += size - segment->size;
  moving->counters.moves++;
  uint64_t old = segment->address;
  segment->address = address;
  segment->size = size;
  kind->plain_free(moving->device, old); /* if the device refuses, it is lost */
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status open_segment(struct gasan_moving *moving, const struct gasan_layout *layout) {
  struct segment *segment = calloc(1, sizeof *segment);
  if (!segment)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  gasan_space_init(&segment->space, 0, SPACE_SIZE);
  uint64_t offset = 0;
  if (!gasan_space_find(&segment->space, layout, &offset)) {
    free(segment);
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  }
  uint64_t needed = needed_by(layout, offset);
  uint64_t wished = needed > GASAN_MOVING_FIRST_SIZE ? needed : GASAN_MOVING_FIRST_SIZE;
  struct gasan_status status;
  segment->size = get_memory(moving, wished, needed, &segment->address, &status);
  if (!segment->size) {
    free(segment);
    return status;
  }
  segment->next = moving->segments;
  moving->segments = segment;
  moving->counters.segments++;
  moving->counters.mapped_bytes += segment->size;
  return status;
}

/* Gives back the memory of segments without chunks. False: there was none. */
static bool close_empty(struct gasan_moving *moving) {
  bool any = false;
  for (struct segment **link = &moving->segments; *link;) {
    struct segment *segment = *link;
    if (segment->live || !gasan_ok(moving->device->kind->plain_free(moving->device, segment->address))) {
      link = &segment->next;
      continue;
    }
    moving->counters.segments--;
    moving->counters.mapped_bytes -= segment->size;
    *link = segment->next;
    free(segment);
    any = true;
  }
  return any;
}

/* Freed chunks are in no segment: their record is all that is left. */
static bool place_in(struct segment *segment, struct chunk *chunk) {
  uint64_t offset = 0;
  if (!gasan_space_find(&segment->space, &chunk->entry.layout, &offset) ||
      needed_by(&chunk->entry.layout, offset) > segment->size)
    return false;
  chunk->entry.base = offset;
  chunk->segment = segment;
  return true;
}

static bool place_anywhere(struct gasan_moving *moving, struct chunk *chunk) {
  for (struct segment *segment = moving->segments; segment; segment = segment->next)
    if (place_in(segment, chunk))
      return true;
  return false;
}

/* Makes the newest segment greater if it may move now. */
static bool grow_newest(struct gasan_moving *moving, const struct gasan_layout *layout) {
  struct segment *newest = moving->segments;
  uint64_t offset = 0;
  if (!newest || newest->pinned || !gasan_space_find(&newest->space, layout, &offset) ||
      !moving->options.try_still(moving->device))
    return false;
  struct gasan_status status = move(moving, newest, needed_by(layout, offset));
  moving->options.end_still(moving->device);
  return gasan_ok(status);
}

static struct gasan_status find_room(struct gasan_moving *moving, struct chunk *chunk) {
  const struct gasan_layout *layout = &chunk->entry.layout;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (place_anywhere(moving, chunk))
    return status;
  if (!grow_newest(moving, layout)) {
    status = open_segment(moving, layout);
    if (status.code == GASAN_ERR_OUT_OF_MEMORY && close_empty(moving))
      status = open_segment(moving, layout);
  }
  if (gasan_ok(status))
    GASAN_CHECK(place_anywhere(moving, chunk));
  return status;
}

static void remember(struct gasan_moving *moving, struct chunk *chunk) {
  uint64_t id = id_of(moving, chunk->handle);
  if (moving->chunks[id]) { /* freed: the id is given again */
    free(moving->chunks[id]);
    moving->counters.reused++;
  }
  moving->chunks[id] = chunk;
  if (id >= moving->id_end)
    moving->id_end = id + 1;
}

static struct gasan_status allocate_locked(struct gasan_moving *moving, struct chunk *chunk) {
  struct gasan_status status = find_room(moving, chunk);
  if (!gasan_ok(status))
    return status;
  uint64_t address = chunk->segment->address + chunk->entry.base, size = chunk->entry.layout.size;
  status = gasan_handles_allocate(moving->ids, address, size, &chunk->handle);
  if (!gasan_ok(status))
    return status;
  uint64_t id = id_of(moving, chunk->handle);
  moving->entries[id] = (struct gasan_handle_entry){address, size};
  status = upload(moving, id, id + 1);
  if (!gasan_ok(status)) {
    moving->entries[id] = (struct gasan_handle_entry){0};
    gasan_handles_free(moving->ids, chunk->handle, NULL);
    return status;
  }
  gasan_space_take(&chunk->segment->space, &chunk->entry);
  chunk->segment->live++;
  remember(moving, chunk);
  struct gasan_pool_counters *counters = &moving->counters;
  chunk->entry.sequence = ++counters->allocations;
  counters->live_chunks++;
  counters->live_bytes += size;
  if (counters->live_bytes > counters->peak_live_bytes)
    counters->peak_live_bytes = counters->live_bytes;
  return status;
}

struct gasan_status gasan_moving_allocate(struct gasan_moving *moving, uint64_t size, struct gasan_pool_caller caller,
                                          uint64_t *handle) {
  if (size == 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  if (size > SPACE_SIZE / 4 || size > gasan_handle_max_size(moving->options.handle_bits))
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct chunk *chunk = calloc(1, sizeof *chunk);
  if (!chunk)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  uint64_t aligned = gasan_round_up(size, GASAN_POOL_ALIGNMENT);
  chunk->entry.layout = (struct gasan_layout){.size = size,
                                              .aligned = aligned,
                                              .footprint = aligned,
                                              .redzone = moving->options.redzone_min,
                                              .alignment = moving->options.alignment};
  chunk->entry.allocated = caller;
  pthread_mutex_lock(&moving->lock);
  struct gasan_status status = allocate_locked(moving, chunk);
  if (gasan_ok(status))
    *handle = chunk->handle;
  pthread_mutex_unlock(&moving->lock);
  if (!gasan_ok(status))
    free(chunk);
  return status;
}

static void copy_chunk(const struct chunk *chunk, struct gasan_chunk *copy) {
  const struct gasan_entry *entry = &chunk->entry;
  *copy = gasan_entry_chunk(entry, chunk->handle);
}

/* The chunk whose start the handle is nearest to: a step below offset 0 borrows from the id (handles/codec.h). */
static struct chunk *nearest(struct gasan_moving *moving, uint64_t handle) {
  uint64_t mask = gasan_handle_offset_mask(moving->options.handle_bits), id = id_of(moving, handle);
  struct chunk *own = id < moving->id_end ? moving->chunks[id] : NULL;
  struct chunk *above = id + 1 < moving->id_end ? moving->chunks[id + 1] : NULL;
  uint64_t offset = handle & mask;
  bool inside = own && offset < own->entry.layout.size;
  return !inside && above && (!own || offset > mask / 2) ? above : own;
}

static void free_chunk(struct gasan_moving *moving, struct chunk *chunk, struct gasan_pool_caller caller) {
  uint64_t id = id_of(moving, chunk->handle);
  moving->entries[id] = (struct gasan_handle_entry){0};
  upload(moving, id, id + 1); /* if the device refuses, nothing works on it any more */
  gasan_handles_free(moving->ids, chunk->handle, NULL);
  gasan_space_give_back(&chunk->segment->space, &chunk->entry);
  chunk->segment->live--;
  chunk->segment = NULL;
  chunk->entry.state = GASAN_ENTRY_RELEASED;
  chunk->entry.freed = caller;
  moving->counters.frees++;
  moving->counters.live_chunks--;
  moving->counters.live_bytes -= chunk->entry.layout.size;
}

enum gasan_pool_free_result gasan_moving_free(struct gasan_moving *moving, uint64_t handle,
                                              struct gasan_pool_caller caller, struct gasan_chunk *copy) {
  if (copy)
    *copy = (struct gasan_chunk){0};
  if (!gasan_moving_owns(moving, handle))
    return GASAN_POOL_NOT_IN_WINDOW;
  pthread_mutex_lock(&moving->lock);
  struct chunk *chunk = nearest(moving, handle);
  enum gasan_pool_free_result result = GASAN_POOL_NOT_A_CHUNK;
  if (chunk && chunk->handle == handle)
    result = chunk->entry.state == GASAN_ENTRY_LIVE ? GASAN_POOL_FREED : GASAN_POOL_DOUBLE_FREE;
  if (result == GASAN_POOL_FREED)
    free_chunk(moving, chunk, caller);
  if (chunk && copy)
    copy_chunk(chunk, copy);
  pthread_mutex_unlock(&moving->lock);
  return result;
}

bool gasan_moving_owns(const struct gasan_moving *moving, uint64_t handle) {
  return gasan_handles_owns(moving->ids, handle);
}

bool gasan_moving_find(struct gasan_moving *moving, uint64_t handle, struct gasan_chunk *copy) {
  if (!gasan_moving_owns(moving, handle))
    return false;
  pthread_mutex_lock(&moving->lock);
  struct chunk *chunk = nearest(moving, handle);
  if (chunk)
    copy_chunk(chunk, copy);
  pthread_mutex_unlock(&moving->lock);
  return chunk != NULL;
}

/* The live chunk that the handle names, or NULL. */
static struct chunk *live_chunk(struct gasan_moving *moving, uint64_t handle) {
  uint64_t id = id_of(moving, handle);
  struct chunk *chunk = id < moving->id_end ? moving->chunks[id] : NULL;
  return chunk && chunk->entry.state == GASAN_ENTRY_LIVE ? chunk : NULL;
}

bool gasan_moving_covers(struct gasan_moving *moving, uint64_t handle, uint64_t size, uint64_t *fault) {
  if (size == 0)
    return true;
  *fault = handle;
  pthread_mutex_lock(&moving->lock);
  const struct chunk *chunk = live_chunk(moving, handle);
  bool covered = false;
  if (chunk && handle - chunk->handle < chunk->entry.layout.size) {
    *fault = chunk->handle + chunk->entry.layout.size;
    covered = size <= *fault - handle;
  }
  pthread_mutex_unlock(&moving->lock);
  return covered;
}

void gasan_moving_each_live(struct gasan_moving *moving, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                            void *context) {
  pthread_mutex_lock(&moving->lock);
  for (uint64_t id = 0; id < moving->id_end; id++) {
    struct gasan_chunk copy;
    if (!moving->chunks[id] || moving->chunks[id]->entry.state != GASAN_ENTRY_LIVE)
      continue;
    copy_chunk(moving->chunks[id], &copy);
    if (!visit(&copy, context))
      break;
  }
  pthread_mutex_unlock(&moving->lock);
}

struct gasan_status gasan_moving_translate(struct gasan_moving *moving, uint64_t handle, bool pin, uint64_t *address) {
  pthread_mutex_lock(&moving->lock);
  struct chunk *chunk = live_chunk(moving, handle);
  if (chunk) {
    *address = chunk->segment->address + chunk->entry.base + (handle - chunk->handle);
    chunk->segment->pinned |= pin;
  }
  pthread_mutex_unlock(&moving->lock);
  return gasan_status_make(chunk ? GASAN_OK : GASAN_ERR_NOT_FOUND);
}

uint64_t gasan_moving_handle_of(struct gasan_moving *moving, uint64_t address) {
  uint64_t handle = 0;
  pthread_mutex_lock(&moving->lock);
  for (uint64_t id = 0; id < moving->id_end && !handle; id++) {
    const struct gasan_handle_entry *entry = &moving->entries[id];
    if (entry->size && address - entry->address <= entry->size)
      handle = moving->chunks[id]->handle + (address - entry->address);
  }
  pthread_mutex_unlock(&moving->lock);
  return handle;
}

void gasan_moving_counters(struct gasan_moving *moving, struct gasan_pool_counters *counters) {
  pthread_mutex_lock(&moving->lock);
  *counters = moving->counters;
  pthread_mutex_unlock(&moving->lock);
}
