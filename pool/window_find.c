/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the chunk that a pointer belongs to. */
#include "base/round.h"
#include "pool/window_pool.h"

bool gasan_window_owns(const struct gasan_pool *pool, uint64_t pointer) {
  return gasan_window_address(pool, pointer) - pool->window_base < pool->options.window_size;
}

struct gasan_entry *gasan_window_find_entry(struct gasan_window_pool *window, uint64_t pointer) {
  uint64_t address = gasan_window_address(&window->pool, pointer);
  uint32_t tag = gasan_window_tag(&window->pool, pointer);
  struct gasan_entry *nearest = gasan_records_nearest(&window->records, address);
  struct gasan_entry *tagged = tag ? gasan_records_tagged(&window->records, address, tag) : NULL;
  return tagged ? tagged : nearest;
}

/* The least redzone is GASAN_POOL_ALIGNMENT. A small chunk's neighbour page may not be mapped. */
static void measure_canaries(const struct gasan_window_pool *window, const struct gasan_entry *entry,
                             struct gasan_chunk *chunk) {
  const uint64_t page_size = window->pages.page_size, end = entry->base + entry->layout.size,
                 last_page = gasan_round_up(entry->base + entry->layout.aligned, page_size),
                 farthest = entry->base + entry->layout.aligned + GASAN_POOL_ALIGNMENT,
                 before = entry->base & (page_size - 1);
  chunk->canary_left = (uint32_t)(before < GASAN_POOL_ALIGNMENT ? before : GASAN_POOL_ALIGNMENT);
  chunk->canary_right = (uint32_t)((farthest < last_page ? farthest : last_page) - end);
}

void gasan_window_copy_chunk(const struct gasan_window_pool *window, const struct gasan_entry *entry,
                             struct gasan_chunk *chunk) {
  *chunk = gasan_entry_chunk(entry, gasan_window_pointer(entry));
  if (window->pool.options.guard)
    measure_canaries(window, entry, chunk);
  if (entry->state != GASAN_ENTRY_RELEASED)
    gasan_space_distances(&window->space, entry, &chunk->redzone_left, &chunk->redzone_right);
}

bool gasan_window_find(struct gasan_pool *pool, uint64_t pointer, struct gasan_chunk *chunk) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  if (!gasan_window_owns(pool, pointer))
    return false;
  pthread_mutex_lock(&pool->lock);
  struct gasan_entry *entry = gasan_window_find_entry(window, pointer);
  if (entry)
    gasan_window_copy_chunk(window, entry, chunk);
  pthread_mutex_unlock(&pool->lock);
  return entry != NULL;
}

bool gasan_window_covers(struct gasan_pool *pool, uint64_t pointer, uint64_t size, uint64_t *fault) {
  uint64_t address = gasan_window_address(pool, pointer);
  bool covered = false;
  *fault = pointer;
  pthread_mutex_lock(&pool->lock);
  struct gasan_entry *entry = gasan_records_holder(&gasan_window_of(pool)->records, address);
  if (entry && entry->state == GASAN_ENTRY_LIVE && gasan_window_tag_fits(entry, gasan_window_tag(pool, pointer))) {
    uint64_t end = entry->base + entry->layout.size;
    if (entry->regions) {
      const struct gasan_piece *piece = gasan_regions_holder(entry->regions, address);
      end = piece && gasan_piece_is_usable(piece) ? piece->end : address;
    }
    *fault = pointer + (end - address);
    covered = size <= *fault - pointer;
  }
  pthread_mutex_unlock(&pool->lock);
  return covered;
}

void gasan_window_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                            void *context) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  pthread_mutex_lock(&pool->lock);
  for (struct gasan_entry *entry = gasan_space_first(&window->space); entry; entry = gasan_space_next(entry)) {
    if (entry->state != GASAN_ENTRY_LIVE)
      continue;
    struct gasan_chunk chunk;
    gasan_window_copy_chunk(window, entry, &chunk);
    if (!visit(&chunk, context))
      break;
  }
  pthread_mutex_unlock(&pool->lock);
}

struct gasan_status gasan_window_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address) {
  *address = gasan_window_address(pool, pointer);
  return gasan_status_make(GASAN_OK);
}

uint64_t gasan_window_pointer_to(struct gasan_pool *pool, uint64_t address) {
  uint64_t pointer = 0;
  pthread_mutex_lock(&pool->lock);
  const struct gasan_entry *entry = gasan_records_nearest(&gasan_window_of(pool)->records, address);
  if (entry && entry->state == GASAN_ENTRY_LIVE && address - entry->base <= entry->layout.size)
    pointer = gasan_window_pointer(entry) + (address - entry->base);
  pthread_mutex_unlock(&pool->lock);
  return pointer;
}
