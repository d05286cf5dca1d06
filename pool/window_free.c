/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frees a chunk, and later releases its memory and its addresses: it is quarantined, dead, and released in turn. */
#include "pool/window_pool.h"

void gasan_window_poison(struct gasan_window_pool *window, const struct gasan_entry *entry) {
  if (window->pool.shadow)
    gasan_shadow_poison(window->pool.shadow, entry->base, entry->layout.accessible);
}

void gasan_window_leave_shadow(struct gasan_window_pool *window, const struct gasan_entry *entry) {
  if (window->pool.shadow)
    gasan_shadow_leave(window->pool.shadow, entry->base, entry->layout.accessible);
}

struct gasan_status gasan_window_release_memory(struct gasan_window_pool *window, struct gasan_entry *entry) {
  const struct gasan_layout *layout = &entry->layout;
  struct gasan_status status =
      gasan_pages_release(&window->pages, entry->base - layout->lead, layout->footprint, layout->large);
  if (gasan_ok(status) && layout->sampled)
    window->counters.guard_bytes -= layout->footprint;
  return status;
}

static void release_addresses(struct gasan_window_pool *window, struct gasan_entry *entry) {
  if (entry->state != GASAN_ENTRY_DEAD)
    gasan_window_leave_shadow(window, entry);
  gasan_space_give_back(&window->space, entry);
  gasan_chunk_lookup_release(&window->lookup, entry);
  entry->state = GASAN_ENTRY_RELEASED;
  window->records.released++;
}

void gasan_window_release_oldest_dead(struct gasan_window_pool *window) {
  release_addresses(window, gasan_quarantine_pop(&window->dead));
}

/* Releases memory and addresses of the oldest chunk in the quarantine. Returns false if the device does not take the
 * memory back; the chunk then stays in the quarantine, as the newest. */
static bool release_oldest(struct gasan_window_pool *window) {
  struct gasan_entry *entry = gasan_quarantine_pop(&window->quarantine);
  if (!gasan_ok(gasan_window_release_memory(window, entry))) {
    gasan_quarantine_push(&window->quarantine, entry);
    return false;
  }
  release_addresses(window, entry);
  return true;
}

bool gasan_window_give_back(struct gasan_window_pool *window) {
  struct gasan_shadow *shadow = window->pool.shadow;
  bool any = false;
  for (uint64_t chunks = window->quarantine.chunks; chunks; chunks--)
    any |= release_oldest(window);
  any |= gasan_pages_trim(&window->pages) > 0;
  return (shadow && gasan_shadow_trim(shadow) > 0) || any;
}

static void end_life(struct gasan_window_pool *window, struct gasan_entry *entry, struct gasan_pool_caller caller) {
  if (entry->regions)
    gasan_window_undivide(window, entry);
  gasan_window_poison(window, entry);
  gasan_chunk_lookup_kill(&window->lookup, entry);
  entry->state = GASAN_ENTRY_QUARANTINED;
  entry->freed = caller;
  window->counters.frees++;
  window->counters.live_chunks--;
  window->counters.guarded_chunks -= window->pool.options.guard && entry->layout.large;
  window->counters.live_bytes -= entry->layout.size;
}

static void add_dead(struct gasan_window_pool *window, struct gasan_entry *entry) {
  gasan_window_leave_shadow(window, entry);
  entry->state = GASAN_ENTRY_DEAD;
  gasan_quarantine_push(&window->dead, entry);
}

/* Quarantines the entry, and keeps the quarantine within its size. A chunk greater than the whole quarantine does not
 * enter it, because such a chunk would push out all others. */
static void quarantine(struct gasan_window_pool *window, struct gasan_entry *entry) {
  uint64_t limit = window->pool.options.quarantine_size;
  bool large = entry->layout.large;
  if ((large || gasan_quarantine_charge(entry) > limit) && gasan_ok(gasan_window_release_memory(window, entry))) {
    if (large)
      add_dead(window, entry);
    else
      release_addresses(window, entry);
    return;
  }
  gasan_quarantine_push(&window->quarantine, entry);
  while (window->quarantine.charge > limit)
    if (!release_oldest(window))
      break; /* the device failed; the next free tries the next chunk */
}

static enum gasan_pool_free_result free_locked(struct gasan_window_pool *window, uint64_t pointer,
                                               struct gasan_pool_caller caller, struct gasan_chunk *chunk) {
  const struct gasan_pool *pool = &window->pool;
  struct gasan_entry *entry = gasan_window_find_entry(window, pointer);
  enum gasan_pool_free_result result = GASAN_POOL_NOT_A_CHUNK;
  if (entry && entry->base == gasan_window_address(pool, pointer) &&
      gasan_window_tag_fits(entry, gasan_window_tag(pool, pointer)))
    result = entry->state == GASAN_ENTRY_LIVE ? GASAN_POOL_FREED : GASAN_POOL_DOUBLE_FREE;
  if (result == GASAN_POOL_FREED)
    end_life(window, entry, caller);
  if (entry && chunk)
    gasan_window_copy_chunk(window, entry, chunk);
  if (result == GASAN_POOL_FREED)
    quarantine(window, entry);
  return result;
}

enum gasan_pool_free_result gasan_window_free(struct gasan_pool *pool, uint64_t pointer,
                                              struct gasan_pool_caller caller, struct gasan_chunk *chunk) {
  if (chunk)
    *chunk = (struct gasan_chunk){0};
  if (!gasan_window_owns(pool, pointer))
    return GASAN_POOL_NOT_IN_WINDOW;
  pthread_mutex_lock(&pool->lock);
  enum gasan_pool_free_result result = free_locked(gasan_window_of(pool), pointer, caller, chunk);
  pthread_mutex_unlock(&pool->lock);
  return result;
}
