/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocator of the device heap (base/heap.h). It is lock-free, because a lane that holds a lock may block its own
 * warp for ever.
 *
 * A thread takes a free unit or page by one atomic operation on its bit or word, and owns it from then on. A page
 * changes its kind only while all of it is free, so the owner of a unit knows its page's kind. A freed chunk goes to
 * the quarantine. It leaves the quarantine when enough chunks were freed after it, or when the heap is full.
 *
 * Device code, and C for the host's tests. */
#ifndef GASAN_RT_KERNEL_HEAP_ALLOCATOR_H
#define GASAN_RT_KERNEL_HEAP_ALLOCATOR_H

#include "base/heap.h"

#ifdef GASAN_DEVICE_CODE
#define GASAN_HEAP_FN static __attribute__((device, noinline, unused))
#else
#define GASAN_HEAP_FN static __attribute__((unused))
#endif

/* On a GPU, LLVM's read-modify-write operations are relaxed (NVPTX). Fences order them. */
#ifdef GASAN_DEVICE_CODE
#define GASAN_HEAP_FENCE() __nvvm_membar_gl()
/* A fence and a relaxed store, because GPUs before sm_70 have no release stores. */
#define GASAN_HEAP_RELEASE(p, v) (GASAN_HEAP_FENCE(), GASAN_HEAP_STORE(p, v))
#else
#define GASAN_HEAP_FENCE() ((void)0)
#define GASAN_HEAP_RELEASE(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE)
#endif

#define GASAN_HEAP_LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_STORE(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_SUB(p, v) __scoped_atomic_fetch_sub(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_AND(p, v) __scoped_atomic_fetch_and(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_OR(p, v) __scoped_atomic_fetch_or(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_EXCHANGE(p, v) __scoped_atomic_exchange_n(p, v, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define GASAN_HEAP_CAS(p, expected, v)                                                                                 \
  __scoped_atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)

/* How often a thread checks for a slab that another thread is making, before the thread makes a slab itself. */
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

/* Returns the place of the warp of `first`, a thread's number. */
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

/* Returns the chunk, live or freed, of an address in the arena; null if there never was one. Needs no memory order: a
 * thread that has a pointer has synchronised with the thread that allocated. */
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

/* Returns the chunk, live or freed; null if there never was one. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_find(struct gasan_heap *heap, uint64_t address) {
  struct gasan_heap_chunk *chunk = gasan_heap_seek(heap, address);
  return chunk && GASAN_HEAP_LOAD(&chunk->state) == GASAN_HEAP_NEVER ? 0 : chunk;
}

GASAN_ABI_FUNCTION uint64_t gasan_heap_base(struct gasan_heap_chunk *chunk) {
  return (uint64_t)chunk + GASAN_HEAP_LOAD(&chunk->offset);
}

/* Takes a unit of the page. Returns null if all units are taken, or if the page now belongs to another class. `first`
 * is the unit to try first; threads should start at different units. */
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

/* Takes the page. The page's word keeps the old kind until the caller writes the new one. */
GASAN_ABI_FUNCTION int gasan_heap_claim_page(struct gasan_heap *heap, uint32_t page) {
  uint32_t word = GASAN_HEAP_LOAD(gasan_heap_word(heap, page));
  return !(word & GASAN_HEAP_TAKEN) && GASAN_HEAP_CAS(gasan_heap_word(heap, page), &word, word | GASAN_HEAP_TAKEN);
}

GASAN_ABI_FUNCTION void gasan_heap_return_page(struct gasan_heap *heap, uint32_t page) {
  GASAN_HEAP_AND(gasan_heap_word(heap, page), ~GASAN_HEAP_TAKEN);
}

/* Turns a slab whose units are all free into a free page. */
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
  else
    /* The page belongs to another class by now, and these are some of its units. */
    GASAN_HEAP_OR(gasan_heap_mask(heap, page), all);
}

/* Makes a slab for a place, and takes the slab's first unit. Returns null if no page is free. */
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

/* Makes a slab, or waits for one. One thread makes a slab, and other threads that need one wait a little for it, so
 * that not every thread takes a page. The wait is bounded, since the thread that makes the slab may be a lane of the
 * same warp that continues only when the waiting lanes do. */
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
  /* All pages are taken; one of them may have free units. */
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

/* Returns the index + 1 of the last taken page of `count` pages from `first`; 0 if none is taken. */
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

/* Removes the chunk from the quarantine: its memory may be reused. */
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

/* Empties the quarantine and dissolves empty slabs. Called when the heap is full. */
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

/* Returns the smallest class whose units hold so many bytes, with overhead. */
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

/* Returns the bytes that an allocation counts against the limit. */
GASAN_ABI_FUNCTION uint64_t gasan_heap_charge(uint64_t size) {
  return size ? (size + GASAN_HEAP_ALIGNMENT - 1) / GASAN_HEAP_ALIGNMENT * GASAN_HEAP_ALIGNMENT : GASAN_HEAP_ALIGNMENT;
}

/* Allocates a chunk of `size` bytes, aligned to `alignment`, a power of two. Returns null if the heap is full. The
 * caller fills in `allocated` and calls gasan_heap_publish. `first` is any number; lanes should pass different ones. */
GASAN_HEAP_FN struct gasan_heap_chunk *gasan_heap_allocate(struct gasan_heap *heap, uint64_t size, uint64_t alignment,
                                                           uint32_t first) {
  uint64_t limit = heap->limit;
  uint64_t slack = alignment > GASAN_HEAP_ALIGNMENT ? alignment - GASAN_HEAP_ALIGNMENT : 0;
  if (size > limit || slack > limit)
    return 0;
  uint64_t charge = gasan_heap_charge(size);
  /* Check the limit before adding: a request that is too large must not make small requests of other threads fail. */
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

/* Makes the chunk live. */
GASAN_ABI_FUNCTION uint64_t gasan_heap_publish(struct gasan_heap_chunk *chunk) {
  GASAN_HEAP_RELEASE(&chunk->state, (uint32_t)GASAN_HEAP_LIVE);
  return gasan_heap_base(chunk);
}

/* Frees a chunk. Returns false if another thread has freed it. The caller then fills in `freed` and calls
 * gasan_heap_put_back. */
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
