/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device heap of BST mode: what malloc in kernels takes from, in place of CUDA's own (gasan_rt/kernel/heap.h).
 *
 * One arena in device memory, made and read by the host, used by kernels: C11, C++17 and device code. All addresses are
 * device addresses, all sizes bytes. It is cut into pages of one of two kinds:
 *
 *   slab   ┌───────┬──────────┬─┬───────┬──────────┬─┬ ─ ┐   units of one size; which are free says the page's mask
 *          │ chunk │ 40 bytes │#│ chunk │ 64 bytes │#│   │
 *          └───────┴──────────┴─┴───────┴──────────┴─┴ ─ ┘
 *   run    ┌───────┬─────────────────────────────┬─┐         as many pages as one large chunk needs
 *          │ chunk │ 20,000 bytes                │#│
 *          └───────┴─────────────────────────────┴─┘
 *
 * `chunk` is struct gasan_heap_chunk, # at least GASAN_HEAP_TAIL bytes that are nobody's, so that the address behind
 * the last byte is still this chunk's. Any address leads to its page's word, and from there to its chunk by arithmetic.
 */
#ifndef GASAN_BASE_HEAP_H
#define GASAN_BASE_HEAP_H

#include "base/abi.h"
#include "base/round.h"

#define GASAN_HEAP_PAGE_SHIFT 13u
#define GASAN_HEAP_PAGE (1u << GASAN_HEAP_PAGE_SHIFT)
#define GASAN_HEAP_ALIGNMENT 16u /* CUDA C++ Programming Guide: malloc in kernels aligns to 16 bytes */
#define GASAN_HEAP_TAIL 16u
#define GASAN_HEAP_CLASSES 14u

/* Who allocated or freed, in which launch. */
struct gasan_heap_event {
  uint32_t module_id; /* 0: not known */
  uint32_t site;
  uint32_t grid_id;   /* low half of %gridid */
  uint32_t block_dim; /* x | y << 11 | z << 22 */
  uint64_t order;     /* linear index of the thread in the grid */
  uint32_t grid_x;
  uint16_t grid_y, grid_z;
};

enum gasan_heap_state {
  GASAN_HEAP_NEVER = 0, /* no chunk was here since the page became what it is */
  GASAN_HEAP_LIVE,
  GASAN_HEAP_FREED, /* in the quarantine, or free to be given again */
};

struct gasan_heap_chunk {
  uint64_t size;
  uint32_t offset; /* of the first byte, from this struct's */
  uint32_t state;  /* enum gasan_heap_state */
  struct gasan_heap_event allocated, freed;
};

/* A page's word: taken | kind | value << 3. A page that is no longer taken keeps its kind, so that stale pointers find
 * their chunk until it is taken again. */
#define GASAN_HEAP_TAKEN 1u
#define GASAN_HEAP_VALUE_SHIFT 3u
enum gasan_heap_page_kind {
  GASAN_HEAP_NOTHING = 0u << 1,
  GASAN_HEAP_SLAB = 1u << 1, /* value: class */
  GASAN_HEAP_HEAD = 2u << 1, /* value: pages of the run */
  GASAN_HEAP_REST = 3u << 1, /* value: pages back to the head */
};
#define GASAN_HEAP_KIND_MASK (3u << 1)

struct gasan_heap_class {
  uint32_t unit;  /* bytes, the chunk's struct and tail included */
  uint32_t units; /* in a page, 64 at most */
};

/* Where warps look for a unit of a class: each class has several, so that not all want the same slab. A cache's sector
 * each. */
#define GASAN_HEAP_MOST_PLACES 64u /* a class */
struct gasan_heap_place {
  uint32_t page;    /* a slab that had room lately, and 1; 0: none */
  uint32_t growing; /* a thread is making a new slab */
  uint32_t unused[6];
};

/* At the arena's beginning. */
struct gasan_heap {
  uint64_t limit; /* cudaLimitMallocHeapSize: bytes that can be allocated at a time */
  uint64_t used;
  uint64_t chunks; /* address of the first page */
  uint64_t words;  /* uint32_t[pages] */
  uint64_t masks;  /* uint64_t[pages]: the free units of a slab; 0 of all other pages */
  uint64_t places; /* struct gasan_heap_place[GASAN_HEAP_CLASSES][place_count] */
  uint64_t ring;   /* uint64_t[ring_size]: the quarantine, chunks from the oldest at ring_next % ring_size; 0: none */
  uint32_t pages, ring_size, place_count; /* the latter two: powers of two */
  uint32_t next_page, ring_next;
  struct gasan_heap_class classes[GASAN_HEAP_CLASSES];
};

#define GASAN_HEAP_OVERHEAD ((uint32_t)sizeof(struct gasan_heap_chunk) + GASAN_HEAP_TAIL)

/* The beginning of the unit that holds a byte of a slab. What is behind the last one is the last one's. */
GASAN_ABI_FUNCTION uint32_t gasan_heap_unit_of(const struct gasan_heap_class *size_class, uint32_t offset) {
  uint32_t index = offset / size_class->unit, last = size_class->units - 1;
  return (index < last ? index : last) * size_class->unit;
}

/* Is a page with this word still the head of a run that the page so far behind it belongs to? Else the run is gone, and
 * others are in its place. */
GASAN_ABI_FUNCTION int gasan_heap_is_head_of(uint32_t word, uint32_t distance) {
  return (word & GASAN_HEAP_KIND_MASK) == GASAN_HEAP_HEAD && word >> GASAN_HEAP_VALUE_SHIFT > distance;
}

#ifndef GASAN_DEVICE_CODE
/* Divides `size` bytes at `arena`, whose alignment is 256 or more, into what *heap says, whose place is the arena's
 * beginning. What lies between it and the chunks, from the places on, is to be zero. False: they are too few. Limit and
 * used are the caller's. */
static inline int gasan_heap_layout(uint64_t arena, uint64_t size, struct gasan_heap *heap) {
  static const uint8_t units[GASAN_HEAP_CLASSES] = {64, 51, 42, 36, 28, 23, 17, 13, 9, 7, 5, 3, 2, 1};
  uint64_t pages = size >> GASAN_HEAP_PAGE_SHIFT, ring = 64, places = 1;
  while (ring < pages * 2 && ring < 1u << 16)
    ring *= 2;
  while (places < GASAN_HEAP_MOST_PLACES &&
         places * 2 * GASAN_HEAP_CLASSES * 8 <= pages) /* an eighth of the pages may wait there */
    places *= 2;
  uint64_t begin = gasan_round_up(sizeof *heap, 256);
  heap->places = arena + begin;
  heap->ring = heap->places + GASAN_HEAP_CLASSES * places * sizeof(struct gasan_heap_place);
  heap->masks = heap->ring + ring * sizeof(uint64_t);
  heap->words = heap->masks + pages * sizeof(uint64_t);
  heap->chunks = gasan_round_up(heap->words + pages * sizeof(uint32_t), GASAN_HEAP_PAGE);
  if (heap->chunks - arena + GASAN_HEAP_PAGE > size)
    return 0;
  pages = (size - (heap->chunks - arena)) >> GASAN_HEAP_PAGE_SHIFT;
  if (pages >= 1u << (31 - GASAN_HEAP_VALUE_SHIFT))
    return 0;
  heap->pages = (uint32_t)pages;
  heap->ring_size = (uint32_t)ring;
  heap->place_count = (uint32_t)places;
  heap->next_page = heap->ring_next = 0;
  for (uint32_t c = 0; c < GASAN_HEAP_CLASSES; c++) {
    uint32_t unit = GASAN_HEAP_PAGE / units[c] / GASAN_HEAP_ALIGNMENT * GASAN_HEAP_ALIGNMENT;
    heap->classes[c].unit = unit;
    heap->classes[c].units = units[c];
  }
  return 1;
}

#ifdef __cplusplus
static_assert(sizeof(struct gasan_heap_chunk) == 80, "device code was built with this layout");
#else
_Static_assert(sizeof(struct gasan_heap_chunk) == 80, "device code was built with this layout");
#endif
#endif
#endif
