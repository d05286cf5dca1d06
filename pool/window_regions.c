/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions of sub-allocators in the chunks of a pool with a window. */
#include <stdlib.h>

#include "base/check.h"
#include "pool/window_pool.h"

static bool is_supported(const struct gasan_pool *pool) {
  return !gasan_pool_translates(pool) &&
         (pool->options.lookup == GASAN_POOL_LOOKUP_NONE || pool->options.lookup == GASAN_POOL_LOOKUP_PAGEMAP);
}

/* Returns the live chunk that contains the address, or NULL. */
static struct gasan_entry *find_live(struct gasan_window_pool *window, uint64_t address) {
  struct gasan_entry *entry = gasan_records_holder(&window->records, address);
  return entry && entry->state == GASAN_ENTRY_LIVE ? entry : NULL;
}

static void copy_region(const struct gasan_entry *entry, const struct gasan_region *region, struct gasan_chunk *chunk) {
  *chunk = (struct gasan_chunk){
      .base = region->base,
      .size = region->size,
      .state = region->state == GASAN_REGION_LIVE ? GASAN_CHUNK_LIVE : GASAN_CHUNK_FREED,
      .sequence = region->sequence,
      .api = region->allocated.api,
      .allocation_stack = region->allocated.stack,
      .free_stack = region->freed.stack,
      .allocation_thread = region->allocated.thread,
      .free_thread = region->freed.thread,
      .heap_base = entry->base,
      .heap_size = entry->layout.size,
      .heap_stack = entry->allocated.stack,
      .heap_thread = entry->allocated.thread,
  };
}

/* Copies the record of the piece's region, or of the chunk. */
static void copy_piece(const struct gasan_window_pool *window, const struct gasan_entry *entry,
                       const struct gasan_piece *piece, struct gasan_chunk *chunk) {
  if (piece && piece->region)
    copy_region(entry, piece->region, chunk);
  else
    gasan_window_copy_chunk(window, entry, chunk);
}

/* Divides the chunk, if it is not divided yet. */
static bool divide(struct gasan_window_pool *window, struct gasan_entry *entry) {
  if (entry->regions)
    return true;
  entry->regions = gasan_regions_new(entry->base, entry->layout.size);
  if (!entry->regions)
    return false;
  entry->next_divided = window->divided;
  window->divided = entry;
  return true;
}

static void undivide_if_whole(struct gasan_window_pool *window, struct gasan_entry *entry) {
  if (!entry->regions->heaps)
    gasan_window_undivide(window, entry);
}

/* Makes the heap a usual part of its chunk. If there is no memory for the tables, the chunk's other heaps are given up,
 * too: the tables without any heap need no memory. */
static void remove_heap(struct gasan_window_pool *window, struct gasan_entry *entry, struct gasan_region_heap *heap) {
  uint64_t base = heap->base, end = base + heap->size;
  window->counters.live_regions -= gasan_regions_count_live(entry->regions, base, heap->size);
  gasan_regions_remove_heap(entry->regions, heap);
  const struct gasan_piece *piece = gasan_regions_holder(entry->regions, base);
  base = gasan_piece_base(piece);
  end = piece->end;
  while (entry->regions->heaps && !gasan_window_update_regions(window, entry, base, end)) {
    base = entry->base;
    end = base + entry->layout.size;
    heap = entry->regions->heaps;
    window->counters.live_regions -= gasan_regions_count_live(entry->regions, heap->base, heap->size);
    gasan_regions_remove_heap(entry->regions, heap);
  }
  if (!entry->regions->heaps)
    gasan_window_update_region_shadow(window, entry, base, end);
  undivide_if_whole(window, entry);
}

static enum gasan_region_result add_heap(struct gasan_window_pool *window, uint64_t base, uint64_t size,
                                         uint64_t ticket, struct gasan_chunk *about) {
  struct gasan_entry *entry = find_live(window, base);
  if (!entry || size > entry->layout.size - (base - entry->base))
    return GASAN_REGIONS_NOT_IN_CHUNK;
  for (const struct gasan_region_heap *heap = entry->regions ? entry->regions->heaps : NULL; heap; heap = heap->next)
    if (base < heap->base + heap->size && heap->base < base + size) {
      gasan_window_copy_chunk(window, entry, about);
      about->base = heap->base;
      about->size = heap->size;
      return GASAN_REGIONS_OVERLAP;
    }
  if (!divide(window, entry))
    return GASAN_REGIONS_NO_MEMORY;
  /* The heap also changes the bounds of the parts in front of it and behind it. */
  const struct gasan_piece *piece = gasan_regions_holder(entry->regions, base);
  uint64_t low = gasan_piece_base(piece), high = piece->end;
  struct gasan_region_heap *heap = gasan_regions_add_heap(entry->regions, base, size);
  if (heap && (!ticket || gasan_regions_linger(entry->regions, low, high - low, ticket)) &&
      gasan_window_update_regions(window, entry, low, high))
    return GASAN_REGIONS_OK;
  if (heap)
    remove_heap(window, entry, heap);
  else
    undivide_if_whole(window, entry);
  return GASAN_REGIONS_NO_MEMORY;
}

/* Returns the heap that begins at the address, and sets *entry to its chunk; NULL: there is none. */
static struct gasan_region_heap *find_heap(struct gasan_window_pool *window, uint64_t base,
                                           struct gasan_entry **entry) {
  *entry = find_live(window, base);
  struct gasan_region_heap *heap = *entry && (*entry)->regions ? gasan_regions_heap((*entry)->regions, base, 1) : NULL;
  return heap && heap->base == base ? heap : NULL;
}

static enum gasan_region_result reset_heap(struct gasan_window_pool *window, uint64_t base,
                                           struct gasan_pool_caller caller, uint64_t ticket) {
  struct gasan_entry *entry;
  const struct gasan_region_heap *heap = find_heap(window, base, &entry);
  if (!heap)
    return GASAN_REGIONS_NO_HEAP;
  for (struct gasan_piece *piece; (piece = gasan_regions_live_in(entry->regions, heap->base, heap->size));) {
    gasan_regions_end(entry->regions, piece->region, caller, ticket);
    window->counters.live_regions--;
    window->counters.region_changes++;
  }
  gasan_window_update_regions(window, entry, heap->base, heap->base + heap->size);
  return GASAN_REGIONS_OK;
}

static enum gasan_region_result add_region(struct gasan_window_pool *window, uint64_t base, uint64_t size,
                                           bool in_graph, struct gasan_pool_caller caller, struct gasan_chunk *about) {
  struct gasan_entry *entry = find_live(window, base);
  if (!entry)
    return GASAN_REGIONS_NOT_IN_CHUNK;
  if (!entry->regions || !gasan_regions_heap(entry->regions, base, size)) {
    gasan_window_copy_chunk(window, entry, about);
    return GASAN_REGIONS_NOT_IN_HEAP;
  }
  const struct gasan_piece *other = gasan_regions_live_in(entry->regions, base, size);
  if (other) {
    copy_piece(window, entry, other, about);
    return GASAN_REGIONS_OVERLAP;
  }
  struct gasan_region *region = gasan_regions_add(entry->regions, base, size, caller);
  if (!region)
    return GASAN_REGIONS_NO_MEMORY;
  if (!gasan_window_update_regions(window, entry, base, base + size)) {
    gasan_regions_end(entry->regions, region, caller, 0);
    return GASAN_REGIONS_NO_MEMORY;
  }
  region->in_graph = in_graph;
  region->sequence = ++window->counters.region_changes;
  window->counters.live_regions++;
  return GASAN_REGIONS_OK;
}

/* Returns the live region that begins at the address. NULL: there is none; then *about is the freed region that began
 * there, or the nearest one. */
static struct gasan_region *find_region(struct gasan_window_pool *window, uint64_t base, struct gasan_entry **entry,
                                        struct gasan_chunk *about) {
  *entry = find_live(window, base);
  if (!*entry || !(*entry)->regions)
    return NULL;
  const struct gasan_piece *piece = gasan_regions_holder((*entry)->regions, base);
  if (piece && piece->region && piece->region->base == base && piece->region->state == GASAN_REGION_LIVE)
    return piece->region;
  const struct gasan_region *nearest = gasan_regions_nearest((*entry)->regions, base);
  if (nearest)
    copy_region(*entry, nearest, about);
  return NULL;
}

static enum gasan_region_result resize_region(struct gasan_window_pool *window, uint64_t base, uint64_t size,
                                              uint64_t ticket, struct gasan_chunk *about) {
  struct gasan_entry *entry;
  struct gasan_region *region = find_region(window, base, &entry, about);
  if (!region)
    return GASAN_REGIONS_NO_REGION;
  uint64_t before = region->size, greatest = size > before ? size : before;
  if (!gasan_regions_heap(entry->regions, base, size)) {
    gasan_window_copy_chunk(window, entry, about);
    return GASAN_REGIONS_NOT_IN_HEAP;
  }
  const struct gasan_piece *other =
      size > before ? gasan_regions_live_in(entry->regions, base + before, size - before) : NULL;
  if (other) {
    copy_piece(window, entry, other, about);
    return GASAN_REGIONS_OVERLAP;
  }
  if ((size < before && ticket && !gasan_regions_linger(entry->regions, base, before, ticket)) ||
      !gasan_regions_resize(entry->regions, region, size))
    return GASAN_REGIONS_NO_MEMORY;
  if (!gasan_window_update_regions(window, entry, base, base + greatest)) {
    GASAN_CHECK(
        gasan_regions_resize(entry->regions, region, before)); /* its former bytes are a gap, or in the region */
    return GASAN_REGIONS_NO_MEMORY;
  }
  window->counters.region_changes++;
  return GASAN_REGIONS_OK;
}

/* Without memory for the tables, kernels still find the region; its free is known all the same. */
static enum gasan_region_result end_region(struct gasan_window_pool *window, uint64_t base,
                                           struct gasan_pool_caller caller, uint64_t ticket,
                                           struct gasan_chunk *about) {
  struct gasan_entry *entry;
  struct gasan_region *region = find_region(window, base, &entry, about);
  if (!region)
    return GASAN_REGIONS_NO_REGION;
  gasan_regions_end(entry->regions, region, caller, ticket);
  gasan_window_update_regions(window, entry, base, base + region->size);
  window->counters.live_regions--;
  window->counters.region_changes++;
  return GASAN_REGIONS_OK;
}

static void settle(struct gasan_window_pool *window, uint64_t ticket) {
  for (struct gasan_entry *entry = window->divided; entry; entry = entry->next_divided) {
    uint64_t base, size;
    while (gasan_regions_settle(entry->regions, ticket, &base, &size))
      gasan_window_update_regions(window, entry, base, base + size);
  }
}

/* Evaluates to the result of a function of this file, with the pool's lock. */
#define LOCKED(pool, call)                                                                                             \
  ({                                                                                                                   \
    enum gasan_region_result result_ = GASAN_REGIONS_NOT_SUPPORTED;                                                    \
    if (is_supported(pool)) {                                                                                          \
      struct gasan_window_pool *window = gasan_window_of(pool);                                                        \
      pthread_mutex_lock(&(pool)->lock);                                                                               \
      result_ = call;                                                                                                  \
      pthread_mutex_unlock(&(pool)->lock);                                                                             \
    }                                                                                                                  \
    result_;                                                                                                           \
  })

enum gasan_region_result gasan_pool_add_heap(struct gasan_pool *pool, uint64_t base, uint64_t size, uint64_t ticket,
                                             struct gasan_chunk *about) {
  *about = (struct gasan_chunk){0};
  return size ? LOCKED(pool, add_heap(window, base, size, ticket, about)) : GASAN_REGIONS_EMPTY;
}

static enum gasan_region_result remove_heap_at(struct gasan_window_pool *window, uint64_t base) {
  struct gasan_entry *entry;
  struct gasan_region_heap *heap = find_heap(window, base, &entry);
  if (!heap)
    return GASAN_REGIONS_NO_HEAP;
  window->counters.region_changes++;
  remove_heap(window, entry, heap);
  return GASAN_REGIONS_OK;
}

enum gasan_region_result gasan_pool_remove_heap(struct gasan_pool *pool, uint64_t base) {
  return LOCKED(pool, remove_heap_at(window, base));
}

enum gasan_region_result gasan_pool_reset_heap(struct gasan_pool *pool, uint64_t base, struct gasan_pool_caller caller,
                                               uint64_t ticket) {
  return LOCKED(pool, reset_heap(window, base, caller, ticket));
}

enum gasan_region_result gasan_pool_add_region(struct gasan_pool *pool, uint64_t base, uint64_t size, bool in_graph,
                                               struct gasan_pool_caller caller, struct gasan_chunk *about) {
  *about = (struct gasan_chunk){0};
  return size ? LOCKED(pool, add_region(window, base, size, in_graph, caller, about)) : GASAN_REGIONS_EMPTY;
}

static enum gasan_region_result find_region_at(struct gasan_window_pool *window, uint64_t address,
                                               struct gasan_chunk *chunk) {
  const struct gasan_entry *entry = find_live(window, address);
  if (!entry)
    return GASAN_REGIONS_NOT_IN_CHUNK;
  if (!entry->regions || !gasan_regions_heap(entry->regions, address, 1))
    return GASAN_REGIONS_NOT_IN_HEAP;
  const struct gasan_piece *piece = gasan_regions_holder(entry->regions, address);
  if (!piece || !gasan_piece_is_live(piece))
    return GASAN_REGIONS_NO_REGION;
  copy_region(entry, piece->region, chunk);
  return GASAN_REGIONS_OK;
}

enum gasan_region_result gasan_pool_find_region(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *region) {
  *region = (struct gasan_chunk){0};
  return LOCKED(pool, find_region_at(window, address, region));
}

enum gasan_region_result gasan_pool_resize_region(struct gasan_pool *pool, uint64_t base, uint64_t size,
                                                  uint64_t ticket, struct gasan_chunk *about) {
  *about = (struct gasan_chunk){0};
  return size ? LOCKED(pool, resize_region(window, base, size, ticket, about)) : GASAN_REGIONS_EMPTY;
}

enum gasan_region_result gasan_pool_end_region(struct gasan_pool *pool, uint64_t base, struct gasan_pool_caller caller,
                                               uint64_t ticket, struct gasan_chunk *about) {
  *about = (struct gasan_chunk){0};
  return LOCKED(pool, end_region(window, base, caller, ticket, about));
}

void gasan_pool_settle(struct gasan_pool *pool, uint64_t ticket) {
  LOCKED(pool, (settle(window, ticket), GASAN_REGIONS_OK));
}

bool gasan_pool_explain(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk) {
  if (!is_supported(pool) || !gasan_window_owns(pool, address))
    return gasan_pool_find(pool, address, chunk);
  struct gasan_window_pool *window = gasan_window_of(pool);
  pthread_mutex_lock(&pool->lock);
  const struct gasan_entry *entry = gasan_window_find_entry(window, address);
  const struct gasan_region *region = entry && entry->regions ? gasan_regions_nearest(entry->regions, address) : NULL;
  if (region)
    copy_region(entry, region, chunk);
  else if (entry)
    gasan_window_copy_chunk(window, entry, chunk);
  pthread_mutex_unlock(&pool->lock);
  return entry != NULL;
}

/* Tables round a base down to a block. */
static bool is_base(uint64_t bounds_base, uint64_t base) {
  return base >= bounds_base && base - bounds_base < 1ull << GASAN_MAP_BLOCK_SHIFT;
}

/* Returns the freed region whose pointers have these bounds, or NULL. */
static const struct gasan_region *freed_region(const struct gasan_regions *regions, uint64_t base, uint64_t fault) {
  const struct gasan_piece *piece = gasan_regions_holder(regions, fault);
  if (piece && piece->region && piece->region->state == GASAN_REGION_FREED)
    return piece->region;
  for (uint64_t at = base; at < base + (1ull << GASAN_MAP_BLOCK_SHIFT); at++) {
    piece = gasan_regions_holder(regions, at);
    if (piece && piece->region && piece->region->state == GASAN_REGION_FREED && is_base(base, piece->region->base))
      return piece->region;
    at = piece ? piece->end - 1 : at;
  }
  return NULL;
}

/* Returns the piece that an access with these bounds left, of the two that may share a pointer. NULL: the bounds are no
 * longer those of a piece. */
static const struct gasan_piece *left_piece(const struct gasan_regions *regions, uint64_t base, uint64_t size,
                                            uint64_t fault) {
  if (fault >= base + size)
    return gasan_regions_holder(regions, base + size - 1);
  return fault >= base ? gasan_regions_holder(regions, fault)
                       : gasan_regions_live_in(regions, base, 1ull << GASAN_MAP_BLOCK_SHIFT);
}

static void explain_bounds(const struct gasan_window_pool *window, const struct gasan_entry *entry, uint64_t base,
                           uint64_t size, uint64_t fault, struct gasan_chunk *chunk, bool *in_region) {
  const struct gasan_regions *regions = entry->regions;
  const struct gasan_piece *piece = size ? left_piece(regions, base, size, fault) : NULL;
  const struct gasan_piece *behind = size ? gasan_regions_holder(regions, base + size) : NULL;
  /* See gasan_regions_bounds. */
  if (piece && behind && fault >= base + size && gasan_piece_base(piece) == base + 1 && !gasan_piece_is_live(behind))
    piece = behind;
  const struct gasan_region *region = piece ? piece->region : size ? NULL : freed_region(regions, base, fault);
  *in_region = region != NULL || (piece && !piece->region);
  if (!region && !*in_region)
    region = gasan_regions_nearest(regions, fault);
  if (region) {
    copy_region(entry, region, chunk);
    return;
  }
  gasan_window_copy_chunk(window, entry, chunk);
  if (piece) {
    chunk->base = gasan_piece_base(piece);
    chunk->size = piece->end - chunk->base;
  }
}

bool gasan_pool_explain_bounds(struct gasan_pool *pool, uint64_t base, uint64_t size, uint64_t fault,
                               struct gasan_chunk *chunk, bool *in_region) {
  if (!is_supported(pool) || !gasan_window_owns(pool, base))
    return false;
  struct gasan_window_pool *window = gasan_window_of(pool);
  pthread_mutex_lock(&pool->lock);
  /* The byte in front of a region (see gasan_regions_bounds) may be in front of the chunk. */
  const struct gasan_entry *entry = find_live(window, base);
  if (!entry)
    entry = find_live(window, base + 1);
  bool divided = entry && entry->regions;
  if (divided)
    explain_bounds(window, entry, base, size, fault, chunk, in_region);
  pthread_mutex_unlock(&pool->lock);
  return divided;
}

struct visitor {
  void (*visit)(const struct gasan_range *range, void *context);
  void *context;
};

/* Visits the bounds of the pointers from low to last. */
static void visit_bounds(const struct gasan_regions *regions, uint64_t low, uint64_t last, struct visitor visitor) {
  for (uint64_t pointer = low; pointer <= last;) {
    struct gasan_range range = gasan_regions_bounds(regions, pointer);
    if (range.last > last)
      range.last = last;
    visitor.visit(&range, visitor.context);
    pointer = range.last + 1;
  }
}

void gasan_pool_each_region_bounds(struct gasan_pool *pool, bool all,
                                   void (*visit)(const struct gasan_range *range, void *context), void *context) {
  struct visitor visitor = {visit, context};
  if (!is_supported(pool))
    return;
  pthread_mutex_lock(&pool->lock);
  for (const struct gasan_entry *entry = gasan_window_of(pool)->divided; entry; entry = entry->next_divided) {
    const struct gasan_regions *regions = entry->regions;
    if (all)
      visit_bounds(regions, regions->base, regions->base + regions->size, visitor);
    for (uint64_t i = 0; i < regions->searched_count && !all; i++)
      visit_bounds(regions, regions->searched[i], regions->searched[i] + (1ull << GASAN_MAP_BLOCK_SHIFT) - 1, visitor);
  }
  pthread_mutex_unlock(&pool->lock);
}

uint64_t gasan_pool_region_epoch(const struct gasan_pool *pool) {
  return is_supported(pool) ? atomic_load(&gasan_const_window_of(pool)->region_epoch) : 0;
}
