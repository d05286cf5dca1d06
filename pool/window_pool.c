/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/window_pool.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/round.h"

/* The least redzone of a pool with tables. One block between the block of a chunk's end and the next chunk can then
 * belong to the next chunk, so that pointers just before a chunk lead to that chunk (shadow/pointer_span.h). */
#define LEAST_REDZONE_OF_TABLES 768u

static const struct gasan_pool_kind window_kind;

static struct gasan_status open_metadata(struct gasan_window_pool *window) {
  struct gasan_pool *pool = &window->pool;
  const struct gasan_pool_options *options = &pool->options;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (options->shadow_scale)
    status = gasan_shadow_create(pool->device, pool->window_base, options->window_size, options->shadow_scale,
                                 &pool->shadow);
  if (gasan_ok(status))
    status = gasan_chunk_lookup_open(&window->lookup, pool->device, options->lookup, options->tags, pool->window_base,
                                     options->window_size);
  if (!gasan_ok(status))
    gasan_shadow_destroy(pool->shadow);
  return status;
}

/* Opens the parts that can fail, one after the other. If one fails, closes those that were opened before. */
static struct gasan_status open_parts(struct gasan_window_pool *window) {
  struct gasan_device *device = window->pool.device;
  uint64_t size = window->pool.options.window_size;
  struct gasan_status status = device->kind->reserve(device, size, size, &window->pool.window_base);
  if (!gasan_ok(status))
    return status;
  status = gasan_pages_init(&window->pages, device, window->pool.window_base, size);
  if (gasan_ok(status)) {
    window->pages.guard_before = window->pool.options.guard & GASAN_POOL_GUARD_START;
    window->pages.guard_behind = window->pool.options.guard & GASAN_POOL_GUARD_END;
    status = open_metadata(window);
    if (gasan_ok(status))
      return status;
    gasan_pages_destroy(&window->pages);
  }
  device->kind->release(device, window->pool.window_base, size);
  return status;
}

static bool are_valid(const struct gasan_pool_options *options) {
  uint64_t size = options->window_size;
  return size >= GASAN_POOL_SMALLEST_WINDOW && size <= gasan_pool_greatest_window(options->shadow_scale) &&
         !(size & (size - 1)) && !(options->alignment & (options->alignment - 1));
}

/* Raises alignment and redzone to the least values that the lookup needs. */
static void raise_to_least(struct gasan_pool_options *options) {
  uint64_t least_alignment = options->lookup ? 1u << GASAN_MAP_BLOCK_SHIFT : GASAN_POOL_ALIGNMENT;
  if (options->alignment < least_alignment)
    options->alignment = least_alignment;
  uint64_t least_redzone = options->lookup ? LEAST_REDZONE_OF_TABLES : GASAN_POOL_ALIGNMENT;
  if (options->redzone_min < least_redzone)
    options->redzone_min = least_redzone;
  if (options->redzone_min > options->window_size)
    options->redzone_min = options->window_size; /* no chunk fits then, but no sum overflows either */
  options->redzone_min = gasan_round_up(options->redzone_min, GASAN_POOL_ALIGNMENT);
}

struct gasan_status gasan_window_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                             struct gasan_pool **pool) {
  if (!are_valid(options))
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_window_pool *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->pool.kind = &window_kind;
  created->pool.device = device;
  created->pool.options = *options;
  raise_to_least(&created->pool.options);
  struct gasan_status status = open_parts(created);
  if (!gasan_ok(status)) {
    free(created);
    return status;
  }
  gasan_space_init(&created->space, created->pool.window_base, options->window_size);
  gasan_records_init(&created->records);
  GASAN_CHECK(pthread_mutex_init(&created->pool.lock, NULL) == 0);
  *pool = &created->pool;
  return status;
}

static void destroy(struct gasan_pool *pool) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  for (struct gasan_entry *entry = gasan_space_first(&window->space); entry; entry = gasan_space_next(entry))
    if (entry->state != GASAN_ENTRY_DEAD)
      gasan_window_release_memory(window, entry);
  while (window->divided)
    gasan_window_undivide(window, window->divided);
  gasan_chunk_lookup_close(&window->lookup);
  gasan_shadow_destroy(pool->shadow);
  gasan_pages_destroy(&window->pages);
  gasan_records_destroy(&window->records);
  pool->device->kind->release(pool->device, pool->window_base, pool->options.window_size);
  pthread_mutex_destroy(&pool->lock);
  free(window);
}

static uint64_t handle_table(const struct gasan_pool *pool) {
  return 0;
}

static void fill_params(const struct gasan_pool *pool, struct gasan_params *params) {
  if (pool->shadow) {
    params->shadow_base = gasan_shadow_base(pool->shadow);
    params->shadow_mask = gasan_shadow_mask(pool->shadow);
  }
  params->window_base = pool->window_base;
  params->window_size = pool->options.window_size;
  params->window_mask_high = ~(uint32_t)((params->window_size - 1) >> 32);
  params->window_base_high = (uint32_t)(params->window_base >> 32);
  gasan_chunk_lookup_params(&gasan_const_window_of(pool)->lookup, params);
}

static struct gasan_status add_lookup(struct gasan_pool *pool) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  pthread_mutex_lock(&pool->lock);
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (window->lookup.kind == GASAN_POOL_LOOKUP_NONE)
    status = gasan_chunk_lookup_add_ranges(&window->lookup, pool->device);
  pthread_mutex_unlock(&pool->lock);
  return status;
}

static bool find_bounds(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds) {
  struct gasan_tables *tables = gasan_window_of(pool)->lookup.tables;
  if (pool->options.tags || !tables || !gasan_window_owns(pool, address))
    return false;
  *bounds = gasan_tables_find(tables, address);
  return true;
}

static uint64_t read_epoch(const struct gasan_pool *pool) {
  const struct gasan_tables *tables = gasan_const_window_of(pool)->lookup.tables;
  return tables ? gasan_tables_epoch(tables) : 0;
}

static struct gasan_status flush(struct gasan_pool *pool) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  struct gasan_status status = pool->shadow ? gasan_shadow_flush(pool->shadow) : gasan_status_make(GASAN_OK);
  struct gasan_status flushed = gasan_chunk_lookup_flush(&window->lookup);
  if (gasan_ok(flushed) && gasan_chunk_lookup_changed(&window->lookup)) {
    pthread_mutex_lock(&pool->lock);
    flushed = gasan_chunk_lookup_write(&window->lookup, &window->space);
    pthread_mutex_unlock(&pool->lock);
  }
  return gasan_ok(status) ? flushed : status;
}

/* Lets the peer reach, or no longer reach, all pages of chunks that have their memory. Neighbours share some pages. */
static struct gasan_status reach_peer(struct gasan_window_pool *window, int peer, bool may) {
  struct gasan_device *device = window->pool.device;
  uint64_t page_size = window->pages.page_size, done = window->pool.window_base;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  gasan_pages_trim(&window->pages);
  for (struct gasan_entry *entry = gasan_space_first(&window->space); entry && gasan_ok(status);
       entry = gasan_space_next(entry)) {
    uint64_t first = entry->base - entry->layout.lead;
    uint64_t start = first & ~(page_size - 1);
    uint64_t end = gasan_round_up(first + entry->layout.footprint, page_size);
    if (start < done)
      start = done;
    if (entry->state == GASAN_ENTRY_DEAD || start >= end)
      continue;
    status = device->kind->reach_peer(device, start, end - start, peer, may);
    done = end;
  }
  return status;
}

static struct gasan_status allow_peer(struct gasan_pool *pool, int peer, bool may) {
  const struct gasan_device_kind *kind = pool->device->kind;
  if (!kind->allow_peer)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  pthread_mutex_lock(&pool->lock);
  kind->allow_peer(pool->device, peer, may);
  struct gasan_status status = reach_peer(gasan_window_of(pool), peer, may);
  if (!gasan_ok(status) && may) {
    kind->allow_peer(pool->device, peer, false);
    (void)reach_peer(gasan_window_of(pool), peer, false); /* as far as the device allows */
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}

static void copy_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters) {
  const struct gasan_window_pool *window = gasan_const_window_of(pool);
  pthread_mutex_lock(&pool->lock);
  *counters = window->counters;
  counters->quarantined_chunks = window->quarantine.chunks;
  counters->quarantined_bytes = window->quarantine.bytes;
  counters->mapped_bytes = window->pages.mapped_bytes;
  counters->dead_chunks = window->dead.chunks;
  counters->dead_bytes = window->dead.bytes;
  counters->tables_bytes = gasan_chunk_lookup_memory(&window->lookup);
  counters->tables_used = gasan_chunk_lookup_used(&window->lookup);
  pthread_mutex_unlock(&pool->lock);
}

static const struct gasan_pool_kind window_kind = {
    .destroy = destroy,
    .allocate = gasan_window_allocate,
    .free = gasan_window_free,
    .owns = gasan_window_owns,
    .find = gasan_window_find,
    .covers = gasan_window_covers,
    .each_live = gasan_window_each_live,
    .counters = copy_counters,
    .translate = gasan_window_translate,
    .pointer_to = gasan_window_pointer_to,
    .handle_table = handle_table,
    .params = fill_params,
    .add_lookup = add_lookup,
    .bounds = find_bounds,
    .epoch = read_epoch,
    .flush = flush,
    .allow_peer = allow_peer,
};
