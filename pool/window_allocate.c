/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates a chunk: chooses its layout, its place in the window, and its tag. */
#include <stdlib.h>
#include <time.h>

#include "base/round.h"
#include "pool/window_pool.h"

/* Returns how many bytes of the chunk are accessible in the shadow. GASan-256 cannot encode a block with exactly one
 * accessible byte (gasan 3.1). */
static uint64_t accessible_bytes(const struct gasan_pool *pool, uint64_t size) {
  return pool->options.shadow_scale == GASAN_SCALE_256 && size % 256 == 1 ? size + 1 : size;
}

static uint64_t redzone_of(const struct gasan_pool *pool, uint64_t size) {
  unsigned __int128 scaled = (unsigned __int128)size * pool->options.redzone_percent / 100;
  if (scaled > pool->options.window_size)
    scaled = pool->options.window_size;
  uint64_t redzone = gasan_round_up((uint64_t)scaled, GASAN_POOL_ALIGNMENT);
  return redzone > pool->options.redzone_min ? redzone : pool->options.redzone_min;
}

/* Pages of its own take a small chunk 0.1 ms more. So they have a budget of time, too: a burst of chunks at first, then
 * one each GUARD_US, 5 % of the time. */
#define GUARD_BURST 1024u
#define GUARD_US 2000u

static bool has_guard_time(struct gasan_window_pool *window) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t turn = ((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000) / GUARD_US;
  uint64_t turns = window->guard_turn ? turn - window->guard_turn : GUARD_BURST;
  window->guard_turn = turn;
  window->guard_turns = window->guard_turns + turns < GUARD_BURST ? window->guard_turns + turns : GUARD_BURST;
  return window->guard_turns > 0;
}

/* Returns whether a small chunk gets pages of its own. */
static bool is_sampled(struct gasan_window_pool *window, uint64_t footprint) {
  const struct gasan_pool_options *options = &window->pool.options;
  uint64_t used = window->counters.guard_bytes + footprint;
  if (!options->guard || used > options->guard_budget)
    return false;
  const bool timely = used <= options->guard_budget / 2 && has_guard_time(window);
  window->guard_turns -= timely;
  return timely || window->counters.allocations % GASAN_POOL_GUARD_SAMPLE == 0;
}

/* Moves a large chunk to the edge of its pages, and keeps the page beyond the edge free. */
static void put_guard(const struct gasan_window_pool *window, struct gasan_layout *layout) {
  const struct gasan_pool_options *options = &window->pool.options;
  if (!options->guard)
    return;
  if (options->guard == GASAN_POOL_GUARD_END ||
      (options->guard == GASAN_POOL_GUARD_BOTH && window->counters.allocations % 2 == 0))
    layout->lead = (layout->footprint - layout->aligned) & ~(options->alignment - 1);
  if (layout->redzone < window->pages.page_size)
    layout->redzone = window->pages.page_size;
}

/* Returns the layout of a request. The size is at most the window's. */
static struct gasan_layout layout_of(struct gasan_window_pool *window, uint64_t size) {
  const struct gasan_pool *pool = &window->pool;
  uint64_t page_size = window->pages.page_size, accessible = accessible_bytes(pool, size);
  struct gasan_layout layout = {.size = size,
                                .accessible = accessible,
                                .aligned = gasan_round_up(accessible, GASAN_POOL_ALIGNMENT),
                                .redzone = redzone_of(pool, size),
                                .large = size > page_size / 2};
  layout.sampled = !layout.large && is_sampled(window, gasan_round_up(layout.aligned, page_size));
  layout.large |= layout.sampled;
  layout.alignment = layout.large ? page_size : pool->options.alignment;
  layout.footprint = layout.large ? gasan_round_up(layout.aligned, page_size) : layout.aligned;
  if (layout.large)
    put_guard(window, &layout);
  return layout;
}

static struct gasan_status unpoison(struct gasan_window_pool *window, const struct gasan_entry *entry) {
  struct gasan_shadow *shadow = window->pool.shadow;
  return shadow ? gasan_shadow_unpoison(shadow, entry->base, entry->layout.accessible) : gasan_status_make(GASAN_OK);
}

static bool is_short_of_something(struct gasan_status status) {
  return status.code == GASAN_ERR_OUT_OF_MEMORY || status.code == GASAN_ERR_OUT_OF_ADDRESSES;
}

static struct gasan_status find_addresses(struct gasan_window_pool *window, struct gasan_entry *entry) {
  if (!gasan_space_find(&window->space, &entry->layout, &entry->base))
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  struct gasan_status status = gasan_chunk_lookup_prepare(&window->lookup, &window->space, entry);
  if (!gasan_ok(status))
    return status;
  status = unpoison(window, entry);
  if (!gasan_ok(status))
    gasan_chunk_lookup_cancel(&window->lookup, entry);
  return status;
}

/* Finds addresses for the entry and puts shadow and memory under them. A failure changes nothing but dead chunks. The
 * shadow comes first, because poisoning it again cannot fail, and unmapping memory can. */
static struct gasan_status place(struct gasan_window_pool *window, struct gasan_entry *entry) {
  const struct gasan_layout *layout = &entry->layout;
  struct gasan_status status = find_addresses(window, entry);
  while (status.code == GASAN_ERR_OUT_OF_ADDRESSES && window->dead.chunks) {
    gasan_window_release_oldest_dead(window);
    status = find_addresses(window, entry);
  }
  if (!gasan_ok(status))
    return status;
  status = gasan_pages_acquire(&window->pages, entry->base - layout->lead, layout->footprint, layout->large);
  if (!gasan_ok(status)) {
    gasan_window_poison(window, entry);
    gasan_window_leave_shadow(window, entry);
    gasan_chunk_lookup_cancel(&window->lookup, entry);
  }
  return status;
}

static void count_allocation(struct gasan_window_pool *window, const struct gasan_entry *entry) {
  struct gasan_pool_counters *counters = &window->counters;
  uint64_t end = entry->base + entry->layout.size - window->pool.window_base;
  counters->allocations++;
  counters->live_chunks++;
  counters->live_bytes += entry->layout.size;
  counters->guarded_chunks += window->pool.options.guard && entry->layout.large;
  counters->shared_allocations += window->pool.options.guard && !entry->layout.large;
  counters->guard_bytes += entry->layout.sampled ? entry->layout.footprint : 0;
  if (counters->live_bytes > counters->peak_live_bytes)
    counters->peak_live_bytes = counters->live_bytes;
  if (end > counters->used_window)
    counters->used_window = end;
}

/* Returns a random tag of 1 to 15 whose bit in `avoid` is 0, or any of them if all bits are 1. */
static uint32_t random_tag(struct gasan_window_pool *window, uint32_t avoid) {
  window->random = window->random * 6364136223846793005u + 1442695040888963407u;
  uint32_t tag = (uint32_t)(window->random >> 33) % GASAN_TAG_RANDOM;
  for (uint32_t tries = 0; tries < GASAN_TAG_RANDOM && avoid >> (tag + 1) & 1; tries++)
    tag = (tag + 1) % GASAN_TAG_RANDOM;
  return tag + 1;
}

static uint32_t new_tag(struct gasan_window_pool *window, const struct gasan_entry *entry) {
  uint32_t direct = gasan_tag_of_entry(entry->bst);
  return direct ? direct : random_tag(window, gasan_records_tags_near(&window->records, entry));
}

static struct gasan_status allocate_locked(struct gasan_window_pool *window, struct gasan_entry *entry) {
  if (!gasan_space_could_fit(&window->space, &entry->layout))
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  struct gasan_status status = place(window, entry);
  if (is_short_of_something(status) && gasan_window_give_back(window))
    status = place(window, entry);
  if (!gasan_ok(status))
    return status;
  gasan_space_take(&window->space, entry);
  window->counters.reused += gasan_records_add(&window->records, entry);
  if (window->pool.options.tags)
    entry->tag = new_tag(window, entry);
  gasan_chunk_lookup_add(&window->lookup, entry);
  count_allocation(window, entry);
  entry->sequence = window->counters.allocations;
  return status;
}

struct gasan_status gasan_window_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                          uint64_t *pointer) {
  struct gasan_window_pool *window = gasan_window_of(pool);
  if (size == 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  if (size > pool->options.window_size)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct gasan_entry *entry = calloc(1, sizeof *entry);
  if (!entry)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  entry->allocated = caller;
  pthread_mutex_lock(&pool->lock);
  entry->layout = layout_of(window, size);
  struct gasan_status status = allocate_locked(window, entry);
  if (gasan_ok(status))
    *pointer = gasan_window_pointer(entry);
  pthread_mutex_unlock(&pool->lock);
  if (!gasan_ok(status))
    free(entry);
  return status;
}
