/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocator of the device heap (base/heap.h): lock-free, since a lock that a lane holds could keep its warp waiting
 * for ever.
 *
 * Who takes a free unit or page changes its bit or word by one atomic operation, and owns it from there on. A page can
 * change its kind only while all of it is free, so whoever holds a unit knows what its page is. A freed chunk goes into
 * the quarantine and comes out of it when as many others were freed after it, or when there is no other memory left.
 *
 * Device code, and C for the host's tests. */
#ifndef GASAN_RT_KERNEL_HEAP_H
#define GASAN_RT_KERNEL_HEAP_H

#include "base/heap.h"

#ifdef GASAN_DEVICE_CODE
#define GASAN_HEAP_FN static __attribute__((device, noinline, unused))
#else
#define GASAN_HEAP_FN static __attribute__((unused))
#endif

/* LLVM gives a GPU's read-modify-write operations no order (NVPTX): what is to be ordered has a fence beside it. */
#ifdef GASAN_DEVICE_CODE
#define GASAN_HEAP_FENCE() __nvvm_membar_gl()
#else
#define GASAN_HEAP_FENCE() ((void)0)
#endif

#define GASAN_HEAP_LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_STORE(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_RELEASE(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_SUB(p, v) __scoped_atomic_fetch_sub(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_AND(p, v) __scoped_atomic_fetch_and(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_OR(p, v) __scoped_atomic_fetch_or(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_EXCHANGE(p, v) __scoped_atomic_exchange_n(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_CAS(p, expected, v)                                                                                 \
  __scoped_atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)

/* How often a thread looks whether another one has made the slab that both need, before it makes one itself. */
#define GASAN_HEAP_PATIENCE 64

GASAN_ABI_FUNCTION uint32_t *gasan_heap_word(struct gasan_heap *heap, uint32_t page) {
  return (uint32_t *)heap->words + page;
}

GASAN_ABI_FUNCTION uint64_t *gasan_heap_mask(struct gasan_heap *heap, uint32_t page) {
  return (uint64_t *)heap->masks + page;
}

GASAN_ABI_FUNCTION struct gasan_heap_chunk *gasan_heap_chunk_at(struct gasan_heap *heap, uint32_t page,
                                                                uint32_t offset) {
  return (struct gasan_heap_chunk *)(heap->chunks + ((uint64_t)page << GASAN_HEAP_PAGE_SHIFT) + offset);
}

/* Of the warp that `first`, a thread's number, belongs to. */
GASAN_ABI_FUNCTION struct gasan_heap_place *gasan_heap_place_of(struct gasan_heap *heap, uint32_t size_class,
                                                                uint32_t first) {
  return (struct gasan_heap_place *)heap->places + size_class * heap->place_count + first / 32 % heap->place_count;
}

GASAN_ABI_FUNCTION uint64_t gasan_heap_all_units(const struct gasan_heap *heap, uint32_t size_class) {
  return ~(uint64_t)0 >> (64 - heap->classes[size_class].units);
}

GASAN_ABI_FUNCTION int gasan_heap_contains(const struct gasan_heap *heap, uint64_t address) {
  return address - heap->chunks < (uint64_t)heap->pages << GASAN_HEAP_PAGE_SHIFT;
}

/* Where the chunk is that an address in the arena belongs to, if there ever was one; null: there was none. No order:
 * who has a pointer has synchronised with the thread that allocated. */
GASAN_ABI_FUNCTION struct gasan_heap_chunk *gasan_heap_seek(struct gasan_heap *heap, uint64_t address) {
  uint64_t offset = address - heap->chunks;
  uint32_t page = (uint32_t)(offset >> GASAN_HEAP_PAGE_SHIFT), in_page = 0;
  uint32_t word = GASAN_HEAP_LOAD(gasan_heap_word(heap, page));
  uint32_t value = word >> GASAN_HEAP_VALUE_SHIFT;
  switch (word & GASAN_HEAP_KIND_MASK) {
  case GASAN_HEAP_SLAB:
    in_page = gasan_heap_unit_of(&heap->classes[value], (uint32_t)(offset % GASAN_HEAP_PAGE));
    break;
  case GASAN_HEAP_HEAD:
    break;
  case GASAN_HEAP_REST:
    page -= value;
    if (!gasan_heap_is_head_of(GASAN_HEAP_LOAD(gasan_heap_word(heap, page)), value))
      return 0;
    break;
  default:
    return 0;
  }
  return gasan_heap_chunk_at(heap, page, in_page);
}

/* The chunk, live or freed; null: none was ever there. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_find(struct gasan_heap *heap, uint64_t address) {
  struct gasan_heap_chunk *chunk = gasan_heap_seek(heap, address);
  return chunk && GASAN_HEAP_LOAD(&chunk->state) == GASAN_HEAP_NEVER ? 0 : chunk;
}

GASAN_ABI_FUNCTION uint64_t gasan_heap_base(struct gasan_heap_chunk *chunk) {
  return (uint64_t)chunk + GASAN_HEAP_LOAD(&chunk->offset);
}

/* A unit of the page, which its caller owns then; null: all are taken, or the page is another class's by now. `first`:
 * which unit to look at first, so that threads do not all want the same. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_claim_unit(struct gasan_heap *heap, uint32_t page,
                                                             uint32_t size_class, uint32_t first) {
  uint64_t *mask = gasan_heap_mask(heap, page);
  uint64_t free_units = GASAN_HEAP_LOAD(mask);
  while (free_units) {
    uint64_t behind = free_units & (~(uint64_t)0 << first % 64);
    uint32_t index = (uint32_t)__builtin_ctzll(behind ? behind : free_units);
    uint64_t bit = (uint64_t)1 << index;
    free_units = GASAN_HEAP_AND(mask, ~bit);
    if (free_units & bit) {
      if (GASAN_HEAP_LOAD(gasan_heap_word(heap, page)) ==
          (GASAN_HEAP_TAKEN | GASAN_HEAP_SLAB | size_class << GASAN_HEAP_VALUE_SHIFT))
        return gasan_heap_chunk_at(heap, page, index * heap->classes[size_class].unit);
      GASAN_HEAP_OR(mask, bit);
      return 0;
    }
    free_units &= ~bit;
  }
  return 0;
}

/* Makes the page the caller's. Its word keeps what it was for now. */
GASAN_ABI_FUNCTION int gasan_heap_claim_page(struct gasan_heap *heap, uint32_t page) {
  uint32_t word = GASAN_HEAP_LOAD(gasan_heap_word(heap, page));
  return !(word & GASAN_HEAP_TAKEN) && GASAN_HEAP_CAS(gasan_heap_word(heap, page), &word, word | GASAN_HEAP_TAKEN);
}

GASAN_ABI_FUNCTION void gasan_heap_return_page(struct gasan_heap *heap, uint32_t page) {
  GASAN_HEAP_AND(gasan_heap_word(heap, page), ~GASAN_HEAP_TAKEN);
}

/* A slab whose units are all free becomes a page that anyone may take. */
GASAN_HEAP_FN void gasan_heap_dissolve(struct gasan_heap *heap, uint32_t page) {
  uint32_t word = GASAN_HEAP_LOAD(gasan_heap_word(heap, page));
  if ((word & (GASAN_HEAP_KIND_MASK | GASAN_HEAP_TAKEN)) != (GASAN_HEAP_SLAB | GASAN_HEAP_TAKEN))
    return;
  uint64_t all = gasan_heap_all_units(heap, word >> GASAN_HEAP_VALUE_SHIFT), expected = all;
  if (!GASAN_HEAP_CAS(gasan_heap_mask(heap, page), &expected, (uint64_t)0))
    return;
  GASAN_HEAP_FENCE();
  if (GASAN_HEAP_LOAD(gasan_heap_word(heap, page)) == word)
    gasan_heap_return_page(heap, page);
  else /* another class's since, of which these are some units */
    GASAN_HEAP_OR(gasan_heap_mask(heap, page), all);
}

/* A new slab for a place, of which the caller owns the first unit; null: no page is left. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_new_slab(struct gasan_heap *heap, uint32_t size_class,
                                                           struct gasan_heap_place *place) {
  uint32_t begin = GASAN_HEAP_ADD(&heap->next_page, 1u) % heap->pages, page = begin;
  while (!gasan_heap_claim_page(heap, page)) {
    page = page + 1 < heap->pages ? page + 1 : 0;
    if (page == begin)
      return 0;
  }
  uint32_t unit = heap->classes[size_class].unit, units = heap->classes[size_class].units;
  for (uint32_t i = 0; i < units; ++i)
    GASAN_HEAP_STORE(&gasan_heap_chunk_at(heap, page, i * unit)->state, (uint32_t)GASAN_HEAP_NEVER);
  GASAN_HEAP_RELEASE(gasan_heap_word(heap, page),
                     GASAN_HEAP_TAKEN | GASAN_HEAP_SLAB | size_class << GASAN_HEAP_VALUE_SHIFT);
  GASAN_HEAP_RELEASE(gasan_heap_mask(heap, page), gasan_heap_all_units(heap, size_class) - 1);
  GASAN_HEAP_STORE(&place->page, page + 1);
  return gasan_heap_chunk_at(heap, page, 0);
}

GASAN_ABI_FUNCTION struct gasan_heap_chunk *gasan_heap_from_current(struct gasan_heap *heap, uint32_t size_class,
                                                                    uint32_t first) {
  uint32_t page = GASAN_HEAP_LOAD(&gasan_heap_place_of(heap, size_class, first)->page);
  return page ? gasan_heap_claim_unit(heap, page - 1, size_class, first) : 0;
}

/* One thread makes a slab, and those that come at the same time wait a little for it: else each would have a page of
 * its own. They do not wait for ever, since it may be a lane that goes on only when they do. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_grow(struct gasan_heap *heap, uint32_t size_class, uint32_t first) {
  struct gasan_heap_chunk *chunk = 0;
  struct gasan_heap_place *place = gasan_heap_place_of(heap, size_class, first);
  for (uint32_t i = 0; i < GASAN_HEAP_PATIENCE && GASAN_HEAP_EXCHANGE(&place->growing, 1u); ++i)
    if ((chunk = gasan_heap_from_current(heap, size_class, first)))
      return chunk;
  chunk = gasan_heap_from_current(heap, size_class, first);
  if (!chunk)
    chunk = gasan_heap_new_slab(heap, size_class, place);
  GASAN_HEAP_RELEASE(&place->growing, 0u);
  return chunk;
}

GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_take_unit(struct gasan_heap *heap, uint32_t size_class,
                                                            uint32_t first) {
  struct gasan_heap_chunk *chunk = gasan_heap_from_current(heap, size_class, first);
  if (!chunk)
    chunk = gasan_heap_grow(heap, size_class, first);
  /* All pages are taken: one of them may have room. */
  for (uint32_t i = 0; !chunk && i < heap->pages; ++i) {
    if (GASAN_HEAP_LOAD(gasan_heap_mask(heap, i)) &&
        GASAN_HEAP_LOAD(gasan_heap_word(heap, i)) ==
            (GASAN_HEAP_TAKEN | GASAN_HEAP_SLAB | size_class << GASAN_HEAP_VALUE_SHIFT))
      chunk = gasan_heap_claim_unit(heap, i, size_class, first);
    if (chunk)
      GASAN_HEAP_STORE(&gasan_heap_place_of(heap, size_class, first)->page, i + 1);
  }
  return chunk;
}

/* The last of `count` pages from `first` on that is taken, and 1; 0: none is. */
GASAN_ABI_FUNCTION uint32_t gasan_heap_last_taken(struct gasan_heap *heap, uint32_t first, uint32_t count) {
  while (count && !(GASAN_HEAP_LOAD(gasan_heap_word(heap, first + count - 1)) & GASAN_HEAP_TAKEN))
    --count;
  return count;
}

GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_take_run(struct gasan_heap *heap, uint32_t pages) {
  for (uint32_t first = 0; pages <= heap->pages && first <= heap->pages - pages;) {
    uint32_t skip = gasan_heap_last_taken(heap, first, pages);
    if (skip) {
      first += skip;
      continue;
    }
    uint32_t claimed = 0;
    while (claimed < pages && gasan_heap_claim_page(heap, first + claimed))
      ++claimed;
    if (claimed == pages) {
      GASAN_HEAP_STORE(&gasan_heap_chunk_at(heap, first, 0)->state, (uint32_t)GASAN_HEAP_NEVER);
      for (uint32_t i = pages - 1; i > 0; --i)
        GASAN_HEAP_STORE(gasan_heap_word(heap, first + i),
                         GASAN_HEAP_TAKEN | GASAN_HEAP_REST | i << GASAN_HEAP_VALUE_SHIFT);
      GASAN_HEAP_RELEASE(gasan_heap_word(heap, first),
                         GASAN_HEAP_TAKEN | GASAN_HEAP_HEAD | pages << GASAN_HEAP_VALUE_SHIFT);
      return gasan_heap_chunk_at(heap, first, 0);
    }
    for (uint32_t i = 0; i < claimed; ++i)
      gasan_heap_return_page(heap, first + i);
    first += claimed + 1;
  }
  return 0;
}

/* Out of the quarantine: the chunk's memory may be given again. */
GASAN_HEAP_FN void gasan_heap_release(struct gasan_heap *heap, uint64_t address) {
  GASAN_HEAP_FENCE();
  uint64_t offset = address - heap->chunks;
  uint32_t page = (uint32_t)(offset >> GASAN_HEAP_PAGE_SHIFT);
  uint32_t word = GASAN_HEAP_LOAD(gasan_heap_word(heap, page)), value = word >> GASAN_HEAP_VALUE_SHIFT;
  if ((word & GASAN_HEAP_KIND_MASK) == GASAN_HEAP_SLAB) {
    uint64_t bit = (uint64_t)1 << (uint32_t)(offset % GASAN_HEAP_PAGE) / heap->classes[value].unit;
    int whole = (GASAN_HEAP_OR(gasan_heap_mask(heap, page), bit) | bit) == gasan_heap_all_units(heap, value);
    uint32_t *place = &gasan_heap_place_of(heap, value, page * 32)->page, current = GASAN_HEAP_LOAD(place);
    if (!current || !GASAN_HEAP_LOAD(gasan_heap_mask(heap, current - 1)))
      GASAN_HEAP_STORE(place, page + 1);
    else if (whole && current != page + 1)
      gasan_heap_dissolve(heap, page);
    return;
  }
  while (value > 0)
    gasan_heap_return_page(heap, page + --value);
}

/* Nothing else is left: empties the quarantine and dissolves what is empty. */
GASAN_HEAP_FN void gasan_heap_drain(struct gasan_heap *heap) {
  for (uint32_t i = 0; i < heap->ring_size; ++i) {
    uint64_t *place = (uint64_t *)heap->ring + i;
    uint64_t chunk = GASAN_HEAP_LOAD(place) ? GASAN_HEAP_EXCHANGE(place, (uint64_t)0) : 0;
    if (chunk)
      gasan_heap_release(heap, chunk);
  }
  for (uint32_t page = 0; page < heap->pages; ++page)
    gasan_heap_dissolve(heap, page);
}

/* The smallest class whose units hold so many bytes, overhead included. */
GASAN_ABI_FUNCTION uint32_t gasan_heap_size_classof(const struct gasan_heap *heap, uint64_t bytes) {
  uint32_t size_class = 0;
  while (heap->classes[size_class].unit < bytes)
    ++size_class;
  return size_class;
}

GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_take(struct gasan_heap *heap, uint64_t bytes, uint32_t first) {
  if (bytes <= GASAN_HEAP_PAGE)
    return gasan_heap_take_unit(heap, gasan_heap_size_classof(heap, bytes), first);
  return gasan_heap_take_run(heap, (uint32_t)((bytes + GASAN_HEAP_PAGE - 1) >> GASAN_HEAP_PAGE_SHIFT));
}

/* What an allocation counts for against the limit. */
GASAN_ABI_FUNCTION uint64_t gasan_heap_charge(uint64_t size) {
  return size ? gasan_round_up(size, GASAN_HEAP_ALIGNMENT) : GASAN_HEAP_ALIGNMENT;
}

/* A chunk of `size` bytes whose first byte is a multiple of `alignment`, a power of two; null: the heap has no room.
 * Its caller fills in `allocated` and calls gasan_heap_publish. `first`: any number, best another for each lane. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_allocate(struct gasan_heap *heap, uint64_t size, uint64_t alignment,
                                                           uint32_t first) {
  uint64_t limit = heap->limit;
  uint64_t slack = alignment > GASAN_HEAP_ALIGNMENT ? alignment - GASAN_HEAP_ALIGNMENT : 0;
  if (size > limit || slack > limit)
    return 0;
  uint64_t charge = gasan_heap_charge(size);
  /* Not added before it is clear that it may fit: too large a request must not fail the small ones beside it. */
  if (charge > limit || GASAN_HEAP_LOAD(&heap->used) > limit - charge)
    return 0;
  struct gasan_heap_chunk *chunk = 0;
  if (GASAN_HEAP_ADD(&heap->used, charge) <= limit - charge) {
    uint64_t bytes = size + slack + GASAN_HEAP_OVERHEAD;
    chunk = gasan_heap_take(heap, bytes, first);
    if (!chunk) {
      gasan_heap_drain(heap);
      chunk = gasan_heap_take(heap, bytes, first);
    }
  }
  if (!chunk) {
    GASAN_HEAP_SUB(&heap->used, charge);
    return 0;
  }
  GASAN_HEAP_FENCE();
  uint64_t base = (uint64_t)(chunk + 1);
  if (slack)
    base = gasan_round_up(base, alignment);
  GASAN_HEAP_STORE(&chunk->size, size);
  GASAN_HEAP_STORE(&chunk->offset, (uint32_t)(base - (uint64_t)chunk));
  return chunk;
}

/* From here on, the chunk is live. */
GASAN_ABI_FUNCTION uint64_t gasan_heap_publish(struct gasan_heap_chunk *chunk) {
  GASAN_HEAP_RELEASE(&chunk->state, (uint32_t)GASAN_HEAP_LIVE);
  return gasan_heap_base(chunk);
}

/* Ends a chunk's life; false: another thread has. Then its caller fills in `freed` and calls gasan_heap_put_back. */
GASAN_ABI_FUNCTION int gasan_heap_end(struct gasan_heap_chunk *chunk) {
  uint32_t state = GASAN_HEAP_LIVE;
  return GASAN_HEAP_CAS(&chunk->state, &state, (uint32_t)GASAN_HEAP_FREED);
}

GASAN_HEAP_FN void gasan_heap_put_back(struct gasan_heap *heap, struct gasan_heap_chunk *chunk) {
  GASAN_HEAP_SUB(&heap->used, gasan_heap_charge(GASAN_HEAP_LOAD(&chunk->size)));
  GASAN_HEAP_FENCE();
  uint64_t *place = (uint64_t *)heap->ring + GASAN_HEAP_ADD(&heap->ring_next, 1u) % heap->ring_size;
  uint64_t oldest = GASAN_HEAP_EXCHANGE(place, (uint64_t)chunk);
  if (oldest)
    gasan_heap_release(heap, oldest);
}

#endif
