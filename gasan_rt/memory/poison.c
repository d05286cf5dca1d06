/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/poison.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/memory/suballocators.h"

#define POISON "__asan_poison_memory_region"
#define UNPOISON "__asan_unpoison_memory_region"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one change at a time */

struct span {
  uint64_t base, end;
};

static const void *pointer(uint64_t address) {
  return (const void *)(uintptr_t)address;
}

static struct gasan_pool *pool_of(uint64_t address) {
  struct gasan_rt_device *owner = gasan_rt_started() ? gasan_rt_owner(pointer(address)) : NULL;
  return owner ? owner->pool : NULL;
}

/* Finds the live chunk that contains the span. */
static bool find_chunk(struct span span, struct gasan_chunk *chunk) {
  struct gasan_pool *pool = pool_of(span.base);
  return pool && span.end > span.base && gasan_pool_find(pool, span.base, chunk) && chunk->state == GASAN_CHUNK_LIVE &&
         span.base >= chunk->base && span.end <= chunk->base + chunk->size;
}

static bool has_heap(uint64_t address) {
  struct gasan_chunk region;
  const enum gasan_region_result result = gasan_suballocators_find(pointer(address), &region);
  return result == GASAN_REGIONS_OK || result == GASAN_REGIONS_NO_REGION;
}

static bool find_region(uint64_t address, struct span *found) {
  struct gasan_chunk region;
  if (gasan_suballocators_find(pointer(address), &region) != GASAN_REGIONS_OK)
    return false;
  *found = (struct span){region.base, region.base + region.size};
  return true;
}

/* The first live region that begins in a span. */
struct search {
  struct span span;
  uint64_t first; /* UINT64_MAX: there is none */
};

static void visit_bounds(const struct gasan_range *range, void *context) {
  struct search *search = context;
  if (range->size && range->base >= search->span.base && range->base < search->span.end && range->base < search->first)
    search->first = range->base;
}

/* Finds the first live region with bytes of the span. */
static bool find_first(struct span span, struct span *found) {
  struct search search = {span, UINT64_MAX};
  if (find_region(span.base, found))
    return true;
  gasan_pool_each_region_bounds(pool_of(span.base), true, visit_bounds, &search);
  return search.first != UINT64_MAX && find_region(search.first, found);
}

static void warn_of_hole(void) {
  static atomic_bool warned;
  if (!atomic_exchange(&warned, true))
    gasan_rt_warn(POISON
                  " leaves bytes in the middle of accessible memory accessible: pointers to the bytes before may "
                  "lead to the bytes behind. Poison up to the end, or use gasan_region_register");
}

static void poison_region(struct span region, struct span span) {
  if (region.base < span.base && region.end > span.end)
    warn_of_hole();
  else if (region.base < span.base)
    gasan_suballocators_resize(POISON, pointer(region.base), span.base - region.base);
  else {
    gasan_suballocators_end(POISON, pointer(region.base));
    if (region.end > span.end)
      gasan_suballocators_add(POISON, pointer(span.end), region.end - span.end);
  }
}

static void poison_chunk(const struct gasan_chunk *chunk, struct span span) {
  const uint64_t end = chunk->base + chunk->size;
  if (span.base > chunk->base && span.end < end) {
    warn_of_hole();
    return;
  }
  if (gasan_suballocators_add_heap(POISON, pointer(chunk->base), chunk->size) != GASAN_REGIONS_OK)
    return;
  if (span.base > chunk->base)
    gasan_suballocators_add(POISON, pointer(chunk->base), span.base - chunk->base);
  else if (span.end < end)
    gasan_suballocators_add(POISON, pointer(span.end), end - span.end);
}

void gasan_poison(const void *base, size_t size) {
  struct span span = {(uintptr_t)base, (uintptr_t)base + size}, region;
  struct gasan_chunk chunk;
  if (!find_chunk(span, &chunk))
    return;
  pthread_mutex_lock(&lock);
  if (!has_heap(span.base))
    poison_chunk(&chunk, span);
  else
    for (uint64_t at = span.base; at < span.end && find_first((struct span){at, span.end}, &region); at = region.end)
      poison_region(region, span);
  pthread_mutex_unlock(&lock);
}

void gasan_unpoison(const void *base, size_t size) {
  struct span span = {(uintptr_t)base, (uintptr_t)base + size}, whole = span, region;
  struct gasan_chunk chunk;
  if (!find_chunk(span, &chunk))
    return;
  pthread_mutex_lock(&lock);
  if (has_heap(span.base)) {
    const bool has_left = find_region(span.base, &whole) || (span.base && find_region(span.base - 1, &whole));
    uint64_t end = has_left && whole.end > span.end ? whole.end : span.end;
    while (find_first((struct span){has_left ? whole.end : span.base, end + 1}, &region) &&
           region.base >= (has_left ? whole.end : span.base)) {
      gasan_suballocators_end(UNPOISON, pointer(region.base));
      end = region.end > end ? region.end : end;
    }
    if (!has_left)
      gasan_suballocators_add(UNPOISON, pointer(span.base), end - span.base);
    else if (end > whole.end)
      gasan_suballocators_resize(UNPOISON, pointer(whole.base), end - whole.base);
  }
  pthread_mutex_unlock(&lock);
}

/* Finds the accessible memory that contains the address. */
static bool find_accessible(uint64_t address, struct span *found) {
  struct gasan_chunk chunk;
  if (has_heap(address))
    return find_region(address, found);
  if (!find_chunk((struct span){address, address + 1}, &chunk))
    return false;
  *found = (struct span){chunk.base, chunk.base + chunk.size};
  return true;
}

const void *gasan_find_poison(const void *base, size_t size) {
  struct span found;
  for (uint64_t at = (uintptr_t)base, end = at + size; at < end && pool_of(at); at = found.end)
    if (!find_accessible(at, &found))
      return pointer(at);
  return NULL;
}
