/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/moving_pool.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/round.h"
#include "handles/handle_table.h"

static const struct gasan_pool_kind moving_kind;

static struct gasan_moving_pool *moving_of(struct gasan_pool *pool) {
  return (struct gasan_moving_pool *)pool;
}

static const struct gasan_moving_pool *const_moving_of(const struct gasan_pool *pool) {
  return (const struct gasan_moving_pool *)pool;
}

static uint64_t id_of(const struct gasan_moving_pool *moving, uint64_t handle) {
  return gasan_handle_id(moving->pool.options.handle_bits, handle);
}

static struct gasan_status create_tables(struct gasan_moving_pool *moving) {
  uint64_t ids = gasan_handle_max_id(moving->pool.options.handle_bits) + 1;
  moving->entries = calloc(ids, sizeof *moving->entries);
  moving->chunks = calloc(ids, sizeof *moving->chunks);
  if (!moving->entries || !moving->chunks)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  struct gasan_status status = gasan_handles_create_share(moving->pool.options.handle_bits, moving->pool.options.share,
                                                          moving->pool.options.shares, &moving->ids);
  return gasan_ok(status) ? moving->pool.device->kind->device_alloc(moving->pool.device, ids * sizeof *moving->entries,
                                                                    &moving->table)
                          : status;
}

static void destroy(struct gasan_pool *pool) {
  struct gasan_moving_pool *moving = moving_of(pool);
  while (moving->segments) {
    struct gasan_moving_segment *next = moving->segments->next;
    pool->device->kind->plain_free(pool->device, moving->segments->address);
    free(moving->segments);
    moving->segments = next;
  }
  for (uint64_t id = 0; id < moving->id_end; id++)
    free(moving->chunks[id]);
  free(moving->chunks);
  free(moving->entries);
  gasan_handles_destroy(moving->ids);
  pthread_mutex_destroy(&pool->lock);
  free(moving);
}

struct gasan_status gasan_moving_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                             struct gasan_pool **pool) {
  if (options->handle_bits < 1 || options->handle_bits > GASAN_HANDLE_MOST_BITS)
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_moving_pool *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->pool.kind = &moving_kind;
  created->pool.device = device;
  created->pool.options = *options;
  if (created->pool.options.alignment < GASAN_POOL_ALIGNMENT)
    created->pool.options.alignment = GASAN_POOL_ALIGNMENT;
  created->pool.options.redzone_min = gasan_round_up(options->redzone_min, GASAN_POOL_ALIGNMENT);
  GASAN_CHECK(pthread_mutex_init(&created->pool.lock, NULL) == 0);
  struct gasan_status status = create_tables(created);
  if (gasan_ok(status))
    *pool = &created->pool;
  else
    destroy(&created->pool);
  return status;
}

static void add_record(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk) {
  uint64_t id = id_of(moving, chunk->handle);
  if (moving->chunks[id]) { /* a freed chunk's record: the id is reused */
    free(moving->chunks[id]);
    moving->counters.reused++;
  }
  moving->chunks[id] = chunk;
  if (id >= moving->id_end)
    moving->id_end = id + 1;
}

static struct gasan_status allocate_locked(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk) {
  struct gasan_status status = gasan_moving_find_room(moving, chunk);
  if (!gasan_ok(status))
    return status;
  uint64_t address = chunk->segment->address + chunk->entry.base, size = chunk->entry.layout.size;
  status = gasan_handles_allocate(moving->ids, address, size, &chunk->handle);
  if (!gasan_ok(status))
    return status;
  uint64_t id = id_of(moving, chunk->handle);
  moving->entries[id] = (struct gasan_handle_entry){address, size};
  status = gasan_moving_upload(moving, id, id + 1);
  if (!gasan_ok(status)) {
    moving->entries[id] = (struct gasan_handle_entry){0};
    gasan_handles_free(moving->ids, chunk->handle, NULL);
    return status;
  }
  gasan_space_take(&chunk->segment->space, &chunk->entry);
  chunk->segment->live++;
  add_record(moving, chunk);
  struct gasan_pool_counters *counters = &moving->counters;
  chunk->entry.sequence = ++counters->allocations;
  counters->live_chunks++;
  counters->live_bytes += size;
  if (counters->live_bytes > counters->peak_live_bytes)
    counters->peak_live_bytes = counters->live_bytes;
  return status;
}

static struct gasan_status allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                    uint64_t *handle) {
  struct gasan_moving_pool *moving = moving_of(pool);
  if (size == 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  if (size > GASAN_MOVING_SPACE / 4 || size > gasan_handle_max_size(moving->pool.options.handle_bits))
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct gasan_moving_chunk *chunk = calloc(1, sizeof *chunk);
  if (!chunk)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  uint64_t aligned = gasan_round_up(size, GASAN_POOL_ALIGNMENT);
  chunk->entry.layout = (struct gasan_layout){.size = size,
                                              .accessible = size,
                                              .aligned = aligned,
                                              .footprint = aligned,
                                              .redzone = moving->pool.options.redzone_min,
                                              .alignment = moving->pool.options.alignment};
  chunk->entry.allocated = caller;
  pthread_mutex_lock(&moving->pool.lock);
  struct gasan_status status = allocate_locked(moving, chunk);
  if (gasan_ok(status))
    *handle = chunk->handle;
  pthread_mutex_unlock(&moving->pool.lock);
  if (!gasan_ok(status))
    free(chunk);
  return status;
}

static void copy_chunk(const struct gasan_moving_chunk *chunk, struct gasan_chunk *copy) {
  const struct gasan_entry *entry = &chunk->entry;
  *copy = gasan_entry_chunk(entry, chunk->handle);
}

/* Returns the chunk whose start is nearest to the handle, or NULL. A handle just below offset 0 has the id before its
 * chunk's, because the subtraction borrows from the id (handles/codec.h). */
static struct gasan_moving_chunk *find_nearest(struct gasan_moving_pool *moving, uint64_t handle) {
  uint64_t mask = gasan_handle_offset_mask(moving->pool.options.handle_bits), id = id_of(moving, handle);
  struct gasan_moving_chunk *own = id < moving->id_end ? moving->chunks[id] : NULL;
  struct gasan_moving_chunk *above = id + 1 < moving->id_end ? moving->chunks[id + 1] : NULL;
  uint64_t offset = handle & mask;
  bool inside = own && offset < own->entry.layout.size;
  return !inside && above && (!own || offset > mask / 2) ? above : own;
}

static void free_chunk(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk,
                       struct gasan_pool_caller caller) {
  uint64_t id = id_of(moving, chunk->handle);
  moving->entries[id] = (struct gasan_handle_entry){0};
  gasan_moving_upload(moving, id, id + 1); /* a device that refuses this has stopped working */
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

static bool owns(const struct gasan_pool *pool, uint64_t handle) {
  return gasan_handles_owns(const_moving_of(pool)->ids, handle);
}

static enum gasan_pool_free_result free_handle(struct gasan_pool *pool, uint64_t handle,
                                               struct gasan_pool_caller caller, struct gasan_chunk *copy) {
  struct gasan_moving_pool *moving = moving_of(pool);
  if (copy)
    *copy = (struct gasan_chunk){0};
  if (!owns(pool, handle))
    return GASAN_POOL_NOT_IN_WINDOW;
  pthread_mutex_lock(&moving->pool.lock);
  struct gasan_moving_chunk *chunk = find_nearest(moving, handle);
  enum gasan_pool_free_result result = GASAN_POOL_NOT_A_CHUNK;
  if (chunk && chunk->handle == handle)
    result = chunk->entry.state == GASAN_ENTRY_LIVE ? GASAN_POOL_FREED : GASAN_POOL_DOUBLE_FREE;
  if (result == GASAN_POOL_FREED)
    free_chunk(moving, chunk, caller);
  if (chunk && copy)
    copy_chunk(chunk, copy);
  pthread_mutex_unlock(&moving->pool.lock);
  return result;
}

static bool find(struct gasan_pool *pool, uint64_t handle, struct gasan_chunk *copy) {
  struct gasan_moving_pool *moving = moving_of(pool);
  if (!owns(pool, handle))
    return false;
  pthread_mutex_lock(&moving->pool.lock);
  struct gasan_moving_chunk *chunk = find_nearest(moving, handle);
  if (chunk)
    copy_chunk(chunk, copy);
  pthread_mutex_unlock(&moving->pool.lock);
  return chunk != NULL;
}

/* Returns the live chunk with the handle's id, or NULL. */
static struct gasan_moving_chunk *live_chunk(struct gasan_moving_pool *moving, uint64_t handle) {
  uint64_t id = id_of(moving, handle);
  struct gasan_moving_chunk *chunk = id < moving->id_end ? moving->chunks[id] : NULL;
  return chunk && chunk->entry.state == GASAN_ENTRY_LIVE ? chunk : NULL;
}

static bool covers(struct gasan_pool *pool, uint64_t handle, uint64_t size, uint64_t *fault) {
  struct gasan_moving_pool *moving = moving_of(pool);
  *fault = handle;
  pthread_mutex_lock(&moving->pool.lock);
  const struct gasan_moving_chunk *chunk = live_chunk(moving, handle);
  bool covered = false;
  if (chunk && handle - chunk->handle < chunk->entry.layout.size) {
    *fault = chunk->handle + chunk->entry.layout.size;
    covered = size <= *fault - handle;
  }
  pthread_mutex_unlock(&moving->pool.lock);
  return covered;
}

static void each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                      void *context) {
  struct gasan_moving_pool *moving = moving_of(pool);
  pthread_mutex_lock(&moving->pool.lock);
  for (uint64_t id = 0; id < moving->id_end; id++) {
    struct gasan_chunk copy;
    if (!moving->chunks[id] || moving->chunks[id]->entry.state != GASAN_ENTRY_LIVE)
      continue;
    copy_chunk(moving->chunks[id], &copy);
    if (!visit(&copy, context))
      break;
  }
  pthread_mutex_unlock(&moving->pool.lock);
}

static struct gasan_status translate(struct gasan_pool *pool, uint64_t handle, bool pin, uint64_t *address) {
  struct gasan_moving_pool *moving = moving_of(pool);
  pthread_mutex_lock(&moving->pool.lock);
  struct gasan_moving_chunk *chunk = live_chunk(moving, handle);
  if (chunk) {
    *address = chunk->segment->address + chunk->entry.base + (handle - chunk->handle);
    chunk->segment->pinned |= pin;
  }
  pthread_mutex_unlock(&moving->pool.lock);
  return gasan_status_make(chunk ? GASAN_OK : GASAN_ERR_NOT_FOUND);
}

static uint64_t handle_of(struct gasan_pool *pool, uint64_t address) {
  struct gasan_moving_pool *moving = moving_of(pool);
  uint64_t handle = 0;
  pthread_mutex_lock(&moving->pool.lock);
  for (uint64_t id = 0; id < moving->id_end && !handle; id++) {
    const struct gasan_handle_entry *entry = &moving->entries[id];
    if (entry->size && address - entry->address <= entry->size)
      handle = moving->chunks[id]->handle + (address - entry->address);
  }
  pthread_mutex_unlock(&moving->pool.lock);
  return handle;
}

static void copy_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters) {
  struct gasan_moving_pool *moving = moving_of(pool);
  pthread_mutex_lock(&moving->pool.lock);
  *counters = moving->counters;
  pthread_mutex_unlock(&moving->pool.lock);
}

static uint64_t handle_table(const struct gasan_pool *pool) {
  return const_moving_of(pool)->table;
}

/* Device code finds chunks by the handle table, not by a window or by tables of bounds. */
static void fill_params(const struct gasan_pool *pool, struct gasan_params *params) {}

static struct gasan_status add_lookup(struct gasan_pool *pool) {
  return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
}

static bool find_bounds(struct gasan_pool *pool, uint64_t handle, struct gasan_bounds *bounds) {
  return false;
}

static uint64_t read_epoch(const struct gasan_pool *pool) {
  return 0;
}

/* The handle table on the device is always up to date. */
static struct gasan_status flush(struct gasan_pool *pool) {
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status allow_peer(struct gasan_pool *pool, int peer, bool may) {
  return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
}

static const struct gasan_pool_kind moving_kind = {
    .destroy = destroy,
    .allocate = allocate,
    .free = free_handle,
    .owns = owns,
    .find = find,
    .covers = covers,
    .each_live = each_live,
    .counters = copy_counters,
    .translate = translate,
    .pointer_to = handle_of,
    .handle_table = handle_table,
    .params = fill_params,
    .add_lookup = add_lookup,
    .bounds = find_bounds,
    .epoch = read_epoch,
    .flush = flush,
    .allow_peer = allow_peer,
};
