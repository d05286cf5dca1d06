/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device heap of BST mode: what malloc in kernels takes from, in place of CUDA's own
 * (gasan_rt/kernel/heap_allocator.h).
 *
 * The heap is one arena in device memory. The host makes and reads it, kernels use it: this header is C11, C++17 and
 * device code. All addresses are device addresses, all sizes are in bytes. The arena has pages of two kinds:
 *
 *   slab   ┌───────┬──────────┬─┬───────┬──────────┬─┬ ─ ┐   units of one size; the page's mask has the free ones
 *          │ chunk │ 40 bytes │#│ chunk │ 64 bytes │#│   │
 *          └───────┴──────────┴─┴───────┴──────────┴─┴ ─ ┘
 *   run    ┌───────┬─────────────────────────────┬─┐         the pages that one large chunk needs
 *          │ chunk │ 20,000 bytes                │#│
 *          └───────┴─────────────────────────────┴─┘
 *
 * `chunk` is struct gasan_heap_chunk. # is at least GASAN_HEAP_TAIL unused bytes, so that the address after the last
 * byte still belongs to this chunk. The page of an address has a word, and arithmetic on word and address gives the
 * chunk. */
#ifndef GASAN_BASE_HEAP_H
#define GASAN_BASE_HEAP_H

#include "base/abi.h"
#include "base/round.h"

#define GASAN_HEAP_PAGE_SHIFT 13u
#define GASAN_HEAP_PAGE (1u << GASAN_HEAP_PAGE_SHIFT)
#define GASAN_HEAP_ALIGNMENT 16u /* CUDA C++ Programming Guide: malloc in kernels aligns to 16 bytes */
#define GASAN_HEAP_TAIL 16u
#define GASAN_HEAP_CLASSES 14u

/* The place, the launch and the thread of an allocation or a free. */
struct gasan_heap_event {
  uint32_t module_id; /* 0: unknown */
  uint32_t site;
  uint32_t grid_id;   /* low half of %gridid */
  uint32_t block_dim; /* x | y << 11 | z << 22 */
  uint64_t order;     /* linear index of the thread in the grid */
  uint32_t grid_x;
  uint16_t grid_y, grid_z;
};

enum gasan_heap_state {
  GASAN_HEAP_NEVER = 0, /* the page never had a chunk here, since it got its kind */
  GASAN_HEAP_LIVE,
  GASAN_HEAP_FREED, /* in the quarantine, or free for reuse */
};

struct gasan_heap_chunk {
  uint64_t size;
  uint32_t offset; /* of the first byte, from the start of this struct */
  uint32_t state;  /* enum gasan_heap_state */
  struct gasan_heap_event allocated, freed;
};

/* A page's word: taken | kind | value << 3. A page that is no longer taken keeps its kind until it is taken again, so
 * that stale pointers still lead to their chunk. */
#define GASAN_HEAP_TAKEN 1u
#define GASAN_HEAP_VALUE_SHIFT 3u
enum gasan_heap_page_kind {
  GASAN_HEAP_NOTHING = 0u << 1,
  GASAN_HEAP_SLAB = 1u << 1, /* value: class */
  GASAN_HEAP_HEAD = 2u << 1, /* value: number of pages of the run */
  GASAN_HEAP_REST = 3u << 1, /* value: number of pages back to the head */
};
#define GASAN_HEAP_KIND_MASK (3u << 1)

struct gasan_heap_class {
  uint32_t unit;  /* bytes, including the chunk's struct and tail */
  uint32_t units; /* in a page, at most 64 */
};

/* A place where warps look for a unit of a class. Each class has several places, so that warps spread over several
 * slabs. Each place fills a cache sector. */
#define GASAN_HEAP_MOST_PLACES 64u /* a class */
struct gasan_heap_place {
  uint32_t page;    /* number of a slab that had room lately, plus 1; 0: none */
  uint32_t growing; /* a thread is making a new slab */
  uint32_t unused[6];
};

/* At the start of the arena. */
struct gasan_heap {
  uint64_t limit; /* cudaLimitMallocHeapSize: greatest number of allocated bytes */
  uint64_t used;
  uint64_t chunks; /* address of the first page */
  uint64_t words;  /* uint32_t[pages] */
  uint64_t masks;  /* uint64_t[pages]: the free units of a slab; 0 for all other pages */
  uint64_t places; /* struct gasan_heap_place[GASAN_HEAP_CLASSES][place_count] */
  uint64_t ring;   /* uint64_t[ring_size]: the quarantine, a chunk or 0 each; the oldest is at ring_next % ring_size */
  uint32_t pages, ring_size, place_count; /* the latter two: powers of two */
  uint32_t next_page, ring_next;
  struct gasan_heap_class classes[GASAN_HEAP_CLASSES];
};

#define GASAN_HEAP_OVERHEAD ((uint32_t)sizeof(struct gasan_heap_chunk) + GASAN_HEAP_TAIL)

/* Returns the index of the unit that contains the byte at this offset of a slab. Bytes after the last unit count as its
 * own. */
GASAN_ABI_FUNCTION uint32_t gasan_heap_unit_of(const struct gasan_heap_class *size_class, uint32_t offset) {
  uint32_t index = offset / size_class->unit, last = size_class->units - 1;
  return (index < last ? index : last) * size_class->unit;
}

/* Returns whether a page with this word is the head of a run that includes the page `distance` pages after it. If not,
 * the run was freed, and other chunks have its pages. */
GASAN_ABI_FUNCTION int gasan_heap_is_head_of(uint32_t word, uint32_t distance) {
  return (word & GASAN_HEAP_KIND_MASK) == GASAN_HEAP_HEAD && word >> GASAN_HEAP_VALUE_SHIFT > distance;
}

#ifndef GASAN_DEVICE_CODE
/* Divides the arena of `size` bytes into the parts that *heap describes. The arena's alignment is at least 256, and
 * *heap belongs at its start. The caller zeroes all bytes from the places to the chunks, and sets limit and used.
 * Returns 0 if the arena is too small. */
static inline int gasan_heap_layout(uint64_t arena, uint64_t size, struct gasan_heap *heap) {
  static const uint8_t units[GASAN_HEAP_CLASSES] = {64, 51, 42, 36, 28, 23, 17, 13, 9, 7, 5, 3, 2, 1};
  uint64_t pages = size >> GASAN_HEAP_PAGE_SHIFT, ring = 64, places = 1;
  while (ring < pages * 2 && ring < 1u << 16)
    ring *= 2;
  while (places < GASAN_HEAP_MOST_PLACES &&
         places * 2 * GASAN_HEAP_CLASSES * 8 <= pages) /* at most an eighth of the pages may be at places */
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
