/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/pool.h"

#include "pool/kind.h"
#include "pool/moving_pool.h"
#include "pool/window_pool.h"

#define TEXTURE_ALIGNMENT 512u /* of every GPU so far: a texture may begin where an allocation does */
/* Host memory for the tables limits the default window before time does. */
#define GREATEST_DEFAULT_WINDOW (1ull << 39)
/* Sums of a few sizes in such a window do not overflow 64 bits. */
#define GREATEST_WINDOW (1ull << 60)

uint64_t gasan_pool_greatest_window(uint32_t shadow_scale) {
  if (shadow_scale == GASAN_SCALE_8)
    return GREATEST_WINDOW;
  if (shadow_scale == 0)
    shadow_scale = GASAN_SCALE_128;
  return shadow_scale == GASAN_SCALE_128 || shadow_scale == GASAN_SCALE_256 ? 1ull << (32 + shadow_scale) : 0;
}

void gasan_pool_default_options(struct gasan_device *device, uint32_t shadow_scale,
                                struct gasan_pool_options *options) {
  uint64_t window = GASAN_POOL_SMALLEST_WINDOW, greatest = gasan_pool_greatest_window(shadow_scale);
  if (greatest > GREATEST_DEFAULT_WINDOW)
    greatest = GREATEST_DEFAULT_WINDOW;
  while (window / 4 < device->kind->total_memory(device) && window < greatest)
    window *= 2;
  *options = (struct gasan_pool_options){.window_size = window,
                                         .shadow_scale = shadow_scale,
                                         .redzone_percent = 50,
                                         .redzone_min = GASAN_POOL_ALIGNMENT,
                                         .alignment = TEXTURE_ALIGNMENT,
                                         .quarantine_size = 256ull << 20};
}

struct gasan_status gasan_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                      struct gasan_pool **pool) {
  return options->handle_bits ? gasan_moving_pool_create(device, options, pool)
                              : gasan_window_pool_create(device, options, pool);
}

void gasan_pool_destroy(struct gasan_pool *pool) {
  if (pool)
    pool->kind->destroy(pool);
}

bool gasan_pool_moves(const struct gasan_pool *pool) {
  return pool->options.handle_bits != 0;
}

bool gasan_pool_translates(const struct gasan_pool *pool) {
  return gasan_pool_moves(pool) || pool->options.tags;
}

struct gasan_shadow *gasan_pool_shadow(struct gasan_pool *pool) {
  return pool->shadow;
}

struct gasan_device *gasan_pool_device(struct gasan_pool *pool) {
  return pool->device;
}

uint64_t gasan_pool_window_base(const struct gasan_pool *pool) {
  return pool->window_base;
}

uint64_t gasan_pool_window_size(const struct gasan_pool *pool) {
  return pool->options.window_size;
}

struct gasan_status gasan_pool_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                        uint64_t *address) {
  return pool->kind->allocate(pool, size, caller, address);
}

enum gasan_pool_free_result gasan_pool_free(struct gasan_pool *pool, uint64_t address, struct gasan_pool_caller caller,
                                            struct gasan_chunk *chunk) {
  return pool->kind->free(pool, address, caller, chunk);
}

bool gasan_pool_owns(const struct gasan_pool *pool, uint64_t address) {
  return pool->kind->owns(pool, address);
}

bool gasan_pool_find(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk) {
  return pool->kind->find(pool, address, chunk);
}

bool gasan_pool_covers(struct gasan_pool *pool, uint64_t address, uint64_t size, uint64_t *fault) {
  return size == 0 || pool->kind->covers(pool, address, size, fault);
}

void gasan_pool_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                          void *context) {
  pool->kind->each_live(pool, visit, context);
}

void gasan_pool_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters) {
  pool->kind->counters(pool, counters);
}

struct gasan_status gasan_pool_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address) {
  return pool->kind->translate(pool, pointer, pin, address);
}

uint64_t gasan_pool_pointer_to(struct gasan_pool *pool, uint64_t address) {
  return pool->kind->pointer_to(pool, address);
}

uint64_t gasan_pool_handle_table(const struct gasan_pool *pool) {
  return pool->kind->handle_table(pool);
}

void gasan_pool_params(const struct gasan_pool *pool, struct gasan_params *params) {
  pool->kind->params(pool, params);
}

struct gasan_status gasan_pool_add_lookup(struct gasan_pool *pool) {
  return pool->kind->add_lookup(pool);
}

bool gasan_pool_bounds(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds) {
  return pool->kind->bounds(pool, address, bounds);
}

uint64_t gasan_pool_epoch(const struct gasan_pool *pool) {
  return pool->kind->epoch(pool);
}

struct gasan_status gasan_pool_flush(struct gasan_pool *pool) {
  return pool->kind->flush(pool);
}

struct gasan_status gasan_pool_allow_peer(struct gasan_pool *pool, int peer, bool may) {
  return pool->kind->allow_peer(pool, peer, may);
}
