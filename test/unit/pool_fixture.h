/* A small pool on the fake device, for the pool's tests. A test has one at a time. */
#ifndef GASAN_TEST_UNIT_POOL_FIXTURE_H
#define GASAN_TEST_UNIT_POOL_FIXTURE_H

#include "pool/pool.h"

#include <stdlib.h>

#include "fake_device.h"
#include "shadow/bounds.h"

#define GIB (1ull << 30)
#define MIB (1ull << 20)
#define PAGE 65536u

static const struct gasan_pool_caller allocator = {"cudaMalloc", 11, 1}, freer = {"cudaFree", 22, 2};

static struct gasan_device *device;
static struct gasan_pool *pool;

static inline struct gasan_pool_options small_options(void) {
  return (struct gasan_pool_options){.window_size = 4 * GIB,
                                     .shadow_scale = GASAN_SCALE_128,
                                     .redzone_percent = 50,
                                     .redzone_min = 256,
                                     .quarantine_size = MIB};
}

static inline void open_pool(uint64_t memory, const struct gasan_pool_options *options) {
  device = fake_device_new(PAGE, memory);
  pool = NULL;
  if (!gasan_ok(gasan_pool_create(device, options, &pool)))
    abort();
}

static inline void open_small_pool(void) {
  struct gasan_pool_options options = small_options();
  open_pool(8 * GIB, &options);
}

static inline void close_pool(void) {
  gasan_pool_destroy(pool);
  fake_device_delete(device); /* checks that all memory was released */
}

/* Returns 0 on failure. */
static inline uint64_t allocate(uint64_t size) {
  uint64_t address = 0;
  return gasan_ok(gasan_pool_allocate(pool, size, allocator, &address)) ? address : 0;
}

static inline enum gasan_pool_free_result release(uint64_t address) {
  return gasan_pool_free(pool, address, freer, NULL);
}

static inline struct gasan_pool_counters counters(void) {
  struct gasan_pool_counters result;
  gasan_pool_counters(pool, &result);
  return result;
}

/* Finds a pointer's bounds like code in BST mode: the device's arithmetic on the device's memory, which is the host's
 * here. */
static inline struct gasan_bounds look_up(const struct gasan_params *params, uint64_t pointer) {
  struct gasan_bounds bounds = gasan_nothing_there();
  if (params->lookup != GASAN_LOOKUP_PAGEMAP) {
    gasan_ranges_search((const void *)params->search, pointer, params->lookup == GASAN_LOOKUP_LIST, &bounds);
    return bounds;
  }
  struct gasan_page_map map = {(const void *)params->page_map, (const void *)params->block_tables, params->window_base,
                               params->window_size};
  return gasan_page_map_find(&map, pointer);
}

static inline uint8_t shadow_at(uint64_t address) {
  return gasan_shadow_get(gasan_pool_shadow(pool), address);
}

struct visits {
  uint64_t last, count, stop_after;
  bool in_order;
};

static inline bool visit(const struct gasan_chunk *chunk, void *context) {
  struct visits *visits = context;
  visits->in_order = visits->in_order && chunk->base > visits->last && chunk->state == GASAN_CHUNK_LIVE;
  visits->last = chunk->base;
  return ++visits->count != visits->stop_after;
}

#endif
