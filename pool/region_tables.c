/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the regions of a divided chunk to shadow and tables.
 *
 * Tables have bounds for blocks, not for pointers. A block gets the bounds of its pointers if all have the same, or if
 * all but the first have the same and the first's include them: a region begins there, where another ends. Other blocks
 * are searched: their pointers' bounds are among the foreign ranges (GASAN_MAP_SEARCHED). */
#include <stdlib.h>

#include "base/round.h"
#include "pool/window_pool.h"

#define BLOCK (1ull << GASAN_MAP_BLOCK_SHIFT)
#define PAGE (1ull << GASAN_MAP_PAGE_SHIFT)

/* Changes of tables: consecutive runs of blocks with one entry each, and the blocks that are searched. */
struct plan {
  struct gasan_pointer_span *runs;
  uint32_t *entries;
  uint64_t count, room;
  uint64_t *searched, searched_count, searched_room;
};

static bool grow_array(void **array, uint64_t *room, size_t element) {
  uint64_t more = *room ? *room * 2 : 16;
  void *grown = realloc(*array, more * element);
  if (!grown)
    return false;
  *array = grown;
  *room = more;
  return true;
}

static bool add_searched(struct plan *plan, uint64_t low, uint64_t high) {
  for (uint64_t block = low; block < high; block += BLOCK) {
    if (plan->searched_count == plan->searched_room &&
        !grow_array((void **)&plan->searched, &plan->searched_room, sizeof *plan->searched))
      return false;
    plan->searched[plan->searched_count++] = block;
  }
  return true;
}

/* Adds blocks with one value; adjacent blocks with equal values are one run. */
static bool add_run(struct plan *plan, struct gasan_pointer_span run, uint64_t window_base) {
  struct gasan_pointer_span *last = plan->count ? &plan->runs[plan->count - 1] : NULL;
  if (run.low >= run.high)
    return true;
  if (gasan_tabled_bounds(window_base, run.base, run.size).object == GASAN_OBJECT_REGIONS &&
      !add_searched(plan, run.low, run.high))
    return false;
  if (last && last->base == run.base && last->size == run.size) {
    last->high = run.high;
    return true;
  }
  if (plan->count == plan->room && !grow_array((void **)&plan->runs, &plan->room, sizeof *plan->runs))
    return false;
  plan->runs[plan->count++] = run;
  return true;
}

/* Returns the bounds of the pointers from `pointer` on, up to `until` at most, as long as they are the same. */
static struct gasan_range merged_bounds(const struct gasan_regions *regions, uint64_t pointer, uint64_t until) {
  struct gasan_range bounds = gasan_regions_bounds(regions, pointer);
  while (bounds.last < until) {
    struct gasan_range more = gasan_regions_bounds(regions, bounds.last + 1);
    if (more.base != bounds.base || more.size != bounds.size)
      break;
    bounds.last = more.last;
  }
  return bounds;
}

/* Returns true if the table can hold the bounds for blocks from `block` on. It holds only multiples of a block as
 * bases. A lower base gives up a part of the first block, but only pointers behind that block get it. */
static bool is_expressible(const struct gasan_range *bounds, uint64_t block) {
  return bounds->size == 0 || bounds->base % BLOCK == 0 || bounds->base < block;
}

/* Sets `bounds` to the bounds for the block, which hold up to bounds->last. Returns false if the block is searched. */
static bool find_block_bounds(const struct gasan_regions *regions, uint64_t block, uint64_t high,
                              struct gasan_range *bounds) {
  *bounds = merged_bounds(regions, block, high - 1);
  if (bounds->last >= block + BLOCK - 1)
    return is_expressible(bounds, block);
  if (bounds->last != block || !bounds->size)
    return false;
  struct gasan_range rest = merged_bounds(regions, block + 1, block + BLOCK - 1);
  return rest.last >= block + BLOCK - 1 && rest.size && rest.base == block && bounds->base <= block &&
         bounds->base + bounds->size == rest.base + rest.size;
}

static struct gasan_pointer_span searched_run(const struct gasan_window_pool *window, uint64_t low, uint64_t high) {
  return (struct gasan_pointer_span){
      .low = low, .high = high, .base = window->pool.window_base + GASAN_MAP_SEARCHED * BLOCK, .size = 0};
}

/* Adds blocks with these bounds. Only whole pages can have sizes of 4 GiB or more: the entry for a block has no room.
 */
static bool add_bounds(const struct gasan_window_pool *window, struct plan *plan, uint64_t low, uint64_t high,
                       const struct gasan_range *bounds) {
  uint64_t base = bounds->base & ~(BLOCK - 1), size = bounds->size ? bounds->size + (bounds->base - base) : 0;
  if (!size)
    base += GASAN_MAP_DEAD * BLOCK;
  struct gasan_pointer_span run = {.low = low, .high = high, .base = base, .size = size};
  if (size <= UINT32_MAX)
    return add_run(plan, run, window->pool.window_base);
  uint64_t first = gasan_round_up(low, PAGE), end = high & ~(PAGE - 1);
  if (first >= end)
    return add_run(plan, searched_run(window, low, high), window->pool.window_base);
  run.low = first;
  run.high = end;
  return add_run(plan, searched_run(window, low, first), window->pool.window_base) &&
         add_run(plan, run, window->pool.window_base) &&
         add_run(plan, searched_run(window, end, high), window->pool.window_base);
}

static bool make_plan(const struct gasan_window_pool *window, const struct gasan_regions *regions, uint64_t low,
                      uint64_t high, struct plan *plan) {
  for (uint64_t block = low; block < high;) {
    struct gasan_range bounds;
    bool found = find_block_bounds(regions, block, high, &bounds);
    uint64_t end = block + BLOCK;
    if (found && bounds.last >= end)
      end = bounds.last >= high - 1 ? high : (bounds.last + 1) & ~(BLOCK - 1);
    if (!(found ? add_bounds(window, plan, block, end, &bounds)
                : add_run(plan, searched_run(window, block, end), window->pool.window_base)))
      return false;
    block = end;
  }
  return true;
}

/* Does everything that can fail. */
static bool prepare_plan(const struct gasan_window_pool *window, struct gasan_regions *regions, struct plan *plan) {
  plan->entries = calloc(plan->count + 1, sizeof *plan->entries);
  bool prepared = plan->entries && gasan_regions_reserve_searched(regions, plan->searched_count);
  uint64_t done = 0;
  while (prepared && done < plan->count) {
    prepared = gasan_ok(gasan_tables_prepare(window->lookup.tables, &plan->runs[done], &plan->entries[done]));
    done += prepared;
  }
  while (!prepared && done > 0)
    gasan_tables_cancel(window->lookup.tables, plan->entries[--done]);
  return prepared;
}

/* The entries are released at once: they last as long as blocks lead to them. */
static void carry_out(const struct gasan_window_pool *window, const struct plan *plan) {
  for (uint64_t i = 0; i < plan->count; i++) {
    gasan_tables_add(window->lookup.tables, &plan->runs[i], plan->entries[i], 0);
    gasan_tables_release(window->lookup.tables, plan->entries[i]);
  }
}

/* The blocks of a divided chunk: up to the block of its end, which the end pointer needs. */
static uint64_t end_of_blocks(const struct gasan_regions *regions) {
  return ((regions->base + regions->size) / BLOCK + 1) * BLOCK;
}

static bool update_tables(struct gasan_window_pool *window, struct gasan_regions *regions, uint64_t low,
                          uint64_t high) {
  uint64_t first = regions->base, end = end_of_blocks(regions);
  /* Pointers near a region may belong to it. */
  low = low > first + GASAN_REGION_REACH ? (low - GASAN_REGION_REACH) & ~(BLOCK - 1) : first;
  high = high + GASAN_REGION_REACH < end ? ((high + GASAN_REGION_REACH) / BLOCK + 1) * BLOCK : end;
  high = high < end ? high : end;
  struct plan plan = {0};
  bool done = make_plan(window, regions, low, high, &plan) && prepare_plan(window, regions, &plan);
  if (done) {
    carry_out(window, &plan);
    gasan_regions_set_searched(regions, low, high, plan.searched, plan.searched_count);
  }
  free(plan.runs);
  free(plan.entries);
  free(plan.searched);
  return done;
}

/* Returns how many bytes of the shadow's block are accessible, counted from its start: up to the last accessible one.
 * GASan-256 cannot encode 1. */
static uint32_t accessible_in(const struct gasan_regions *regions, uint64_t block, uint64_t size) {
  uint64_t accessible = 0;
  for (uint64_t at = block, next; at < block + size; at = next) {
    uint64_t end = gasan_regions_accessible(regions, at, &next);
    if (end > at)
      accessible = (end < block + size ? end : block + size) - block;
    if (next <= at || end >= block + size || next >= regions->base + regions->size)
      break;
  }
  return (uint32_t)(accessible == 1 && size == 256 ? 2 : accessible);
}

static void update_shadow(struct gasan_shadow *shadow, const struct gasan_regions *regions, uint64_t low,
                          uint64_t high) {
  const uint64_t size = 1ull << gasan_shadow_scale(shadow), chunk_end = regions->base + regions->size;
  uint64_t at = (low > regions->base ? low : regions->base) & ~(size - 1);
  high = gasan_round_up(high < chunk_end ? high : chunk_end, size);
  while (at < high) {
    uint64_t next, end = gasan_regions_accessible(regions, at, &next);
    uint64_t run = size;
    uint32_t accessible = (uint32_t)size;
    if (end >= at + size)
      run = ((end < high ? end : high) - at) & ~(size - 1);
    else if (end == at && next >= at + size)
      run = ((next < high ? next : high) - at) & ~(size - 1), accessible = 0;
    else
      accessible = accessible_in(regions, at, size);
    gasan_shadow_limit(shadow, at, run, accessible);
    at += run;
  }
}

bool gasan_window_update_regions(struct gasan_window_pool *window, struct gasan_entry *entry, uint64_t low,
                                 uint64_t high) {
  if (window->lookup.tables && !update_tables(window, entry->regions, low, high))
    return false;
  gasan_window_update_region_shadow(window, entry, low, high);
  return true;
}

void gasan_window_update_region_shadow(struct gasan_window_pool *window, const struct gasan_entry *entry, uint64_t low,
                                       uint64_t high) {
  if (window->pool.shadow)
    update_shadow(window->pool.shadow, entry->regions, low, high);
  window->region_epoch++;
}

void gasan_window_undivide(struct gasan_window_pool *window, struct gasan_entry *entry) {
  struct gasan_entry **link = &window->divided;
  while (*link != entry)
    link = &(*link)->next_divided;
  *link = entry->next_divided;
  window->counters.live_regions -= gasan_regions_count_live(entry->regions, entry->regions->base, entry->regions->size);
  if (window->lookup.tables)
    gasan_tables_return(window->lookup.tables, entry->regions->base, end_of_blocks(entry->regions), entry->bst);
  gasan_regions_delete(entry->regions);
  entry->regions = NULL;
  window->region_epoch++;
}
