/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of bounds, and the lookup of a pointer's bounds: page map and block tables (cucatch 3.1, gpuarmor 5).
 *
 * One definition for the host, which writes the tables, and the device, which reads them: C11, C++17 and device code.
 * All addresses are device addresses, all sizes are in bytes. The functions keep no state, take no lock and cannot
 * fail.
 *
 *   pointer -> page             base and size, in pages that one large chunk fills
 *   pointer -> page -> block    base and size, in pages that small chunks share
 *
 * The host needs more data about a chunk. The host, and code with tags, use the tables of the cucatch paper, which lead
 * to base-and-size entries (BST):
 *
 *   pointer -> page word -> BST entry
 *   pointer -> page word -> entry table -> BST entry
 *
 * A block without a chunk belongs to a neighbour, so that pointers slightly outside their chunk still lead to it. The
 * block of a chunk's end always belongs to that chunk; redzones ensure this.
 *
 * Pages and blocks also lead to the regions that a sub-allocator makes in a chunk. If the pointers into a block have
 * different bounds, these are among the foreign ranges, which device code then searches. */
#ifndef GASAN_SHADOW_BOUNDS_H
#define GASAN_SHADOW_BOUNDS_H

#include "base/abi.h"

#define GASAN_MAP_PAGE_SHIFT 21u /* 2 MiB: a page of the map, independent of the device's pages */
#define GASAN_MAP_BLOCK_SHIFT 9u /* 512 bytes: chunks start at multiples, so a block has bytes of at most one */
#define GASAN_MAP_BLOCKS (1u << (GASAN_MAP_PAGE_SHIFT - GASAN_MAP_BLOCK_SHIFT))

/* A page of the page map. In the most frequent case a lookup needs only this one load. */
struct __attribute__((aligned(16))) gasan_page {
  /* Base of the live chunk that the page leads to. Below 2^32, where no window is: number of the page's block table. */
  uint64_t base;
  /* Size of that chunk. With base 0: base of the freed chunk that the page leads to, or 0 for none. */
  uint64_t size;
};

/* The chunk of a block. Lower half: its distance from the window's start, in blocks; 0 means no chunk. Upper half: its
 * size in bytes. 0 means freed, or 4 GiB or larger; a large chunk's size is in the map entry after its first page. */
typedef uint64_t gasan_block_word;

struct gasan_block_table {
  gasan_block_word words[GASAN_MAP_BLOCKS];
};

#define GASAN_NO_BLOCK_TABLE 0u /* all its words are 0 */

/* Sub-allocators' regions: bases that are no addresses, as distances from the window's start in blocks. A window has
 * fewer blocks than GASAN_MAP_DEAD. The size is 0. Added to the base of a freed region, or of a heap: its pointers may
 * access nothing. (Without it, they would get the size in the map entry after the base's page.) */
#define GASAN_MAP_DEAD 0x80000000u
/* The pointers of the block or page have different bounds. */
#define GASAN_MAP_SEARCHED 0xffffffffu

/* An allocation. Entries never move. A freed chunk's entry keeps its base, so that the host can name the chunk. */
struct gasan_bst_entry {
  uint64_t base;
  uint64_t size;       /* 0: freed */
  uint32_t generation; /* number of allocations that had this entry so far */
  uint32_t tag;        /* -fsanitize-gpu-address-tags: 1..15; 0: none */
  uint64_t reserved;
};

/* Entries without a chunk. */
#define GASAN_BST_UNKNOWN 0u /* {0, all}: outside the pool, not checked */
#define GASAN_BST_NOTHING 1u /* {0, 0}: in the window, never part of a chunk */
#define GASAN_BST_FIRST 2u

/* 0: no chunk. Else index << 1 for a BST entry, or index << 1 | 1 for an entry table. */
typedef uint64_t gasan_page_word;

struct gasan_entry_table {
  uint32_t entries[GASAN_MAP_BLOCKS]; /* BST index; 0: no chunk */
};

/* A range that lookups search: memory outside the pool, and all chunks with lookup=tree and lookup=list. Ranges are
 * sorted by `start` and do not overlap. */
struct gasan_range {
  uint64_t start, last; /* pointers from start to last (inclusive) belong to this range */
  uint64_t base, size;  /* its bounds; size 0: freed */
};

/* A table of ranges. The host writes a new version beside the current one and then makes it the current one, so that a
 * running kernel never uses half a version: a search repeats if its version was replaced meanwhile. */
struct gasan_range_table {
  uint64_t current; /* version << 56 | index of its first range << 28 | its number of ranges */
  uint64_t ranges;  /* struct gasan_range[]; 0: none yet */
};

#define GASAN_RANGES_BITS 28u
#define GASAN_RANGES_MOST ((1u << GASAN_RANGES_BITS) - 1)
#define GASAN_RANGES_TRIES 8 /* after so many, the pointer counts as unknown */

/* Counters for print_stats=1, and the buffer for trace_path. */
struct gasan_counters {
  uint64_t unknown;          /* lookups of pointers outside the pool and all foreign ranges, which are not checked */
  uint64_t checks, accesses; /* executed, in code compiled with -fsanitize-gpu-address-count-checks */
  uint64_t trace;            /* struct gasan_trace_buffer (base/trace_format.h); 0: no trace is written */
};

#define GASAN_NULL_PAGE 65536u /* all device addresses are higher */
/* All addresses are lower: of any device, and of host memory that a device can access. */
#define GASAN_ADDRESS_BITS 57u

struct gasan_bounds {
  uint64_t base, size;
  uint32_t object; /* enum gasan_object_code or a variable */
};

GASAN_ABI_FUNCTION struct gasan_bounds gasan_bounds_make(uint64_t base, uint64_t size, uint32_t object) {
  struct gasan_bounds bounds;
  bounds.base = base;
  bounds.size = size;
  bounds.object = object;
  return bounds;
}

/* Returns whether `width` bytes (1 or more) at `address` are accessible. */
GASAN_ABI_FUNCTION int gasan_bounds_allow(struct gasan_bounds bounds, uint64_t address, uint64_t width) {
  uint64_t offset = address - bounds.base;
  return width <= bounds.size && offset <= bounds.size - width;
}

/* Returns nonzero if a page with this base leads to one live chunk. */
GASAN_ABI_FUNCTION uint32_t gasan_page_is_chunk(uint64_t base) {
  return (uint32_t)(base >> 32);
}

GASAN_ABI_FUNCTION struct gasan_bounds gasan_nothing_there(void) {
  return gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
}

/* Returns the bounds that a base and a size in the tables stand for. */
GASAN_ABI_FUNCTION struct gasan_bounds gasan_tabled_bounds(uint64_t window_base, uint64_t base, uint64_t size) {
  uint64_t distance = (base - window_base) >> GASAN_MAP_BLOCK_SHIFT;
  if (size || distance < GASAN_MAP_DEAD)
    return gasan_bounds_make(base, size, GASAN_OBJECT_MEMORY);
  if (distance == GASAN_MAP_SEARCHED)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_REGIONS);
  return gasan_bounds_make(base - ((uint64_t)GASAN_MAP_DEAD << GASAN_MAP_BLOCK_SHIFT), 0, GASAN_OBJECT_MEMORY);
}

/* The page map of a window, for lookups. The host changes the tables while kernels run. So a lookup reads each word
 * once, and bypasses the L1 cache to get the current value. */
struct gasan_page_map {
  const volatile struct gasan_page *pages;
  const volatile struct gasan_block_table *tables;
  uint64_t window_base, window_size;
};

GASAN_ABI_FUNCTION struct gasan_bounds gasan_block_bounds(const struct gasan_page_map *map, gasan_block_word word) {
  uint64_t offset = (uint64_t)(uint32_t)word << GASAN_MAP_BLOCK_SHIFT, base = map->window_base + offset,
           size = word >> 32;
  uint64_t behind = (offset >> GASAN_MAP_PAGE_SHIFT) + 1;
  if (offset == 0)
    return gasan_nothing_there();
  if (size == 0 && behind < map->window_size >> GASAN_MAP_PAGE_SHIFT && (uint32_t)word < GASAN_MAP_DEAD &&
      map->pages[behind].base == base)
    size = map->pages[behind].size;
  return gasan_tabled_bounds(map->window_base, base, size);
}

/* Returns the bounds of a pointer into the window; object GASAN_OBJECT_REGIONS: the foreign ranges have them. */
GASAN_ABI_FUNCTION struct gasan_bounds gasan_page_map_find(const struct gasan_page_map *map, uint64_t pointer) {
  uint64_t offset = pointer - map->window_base;
  const volatile struct gasan_page *page = map->pages + (offset >> GASAN_MAP_PAGE_SHIFT);
  uint64_t base = page->base, size = page->size;
  /* The host writes both at once. The pages of a sub-allocator's regions change while kernels use them. */
  while (page->base != base) {
    base = page->base;
    size = page->size;
  }
  if (gasan_page_is_chunk(base))
    return gasan_bounds_make(base, size, GASAN_OBJECT_MEMORY);
  if (base != GASAN_NO_BLOCK_TABLE)
    return gasan_block_bounds(map, map->tables[base].words[(offset >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS]);
  return size ? gasan_tabled_bounds(map->window_base, size, 0) : gasan_nothing_there();
}

/* Returns the BST index for the byte at `offset` in the window. Reads words in the same way. */
GASAN_ABI_FUNCTION uint32_t gasan_entry_map_find(const volatile gasan_page_word *map,
                                                 const volatile struct gasan_entry_table *tables, uint64_t offset) {
  uint64_t word = map[offset >> GASAN_MAP_PAGE_SHIFT];
  if (!(word & 1))
    return (uint32_t)(word >> 1);
  return tables[word >> 1].entries[(offset >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS];
}

/* Lookups in ranges read each word once, and bypass the L1 cache. */

/* Returns the last of `count` ranges that begins at or below the pointer; null: none. */
GASAN_ABI_FUNCTION const volatile struct gasan_range *gasan_ranges_floor(const volatile struct gasan_range *ranges,
                                                                         uint64_t count, uint64_t pointer) {
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (ranges[middle].start <= pointer)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? ranges + low - 1 : 0;
}

/* Returns the range that contains the pointer, by searching the ranges one after the other; null: none. */
GASAN_ABI_FUNCTION const volatile struct gasan_range *gasan_ranges_walk(const volatile struct gasan_range *ranges,
                                                                        uint64_t count, uint64_t pointer) {
  for (uint64_t i = 0; i < count; i++)
    if (ranges[i].start <= pointer && pointer <= ranges[i].last)
      return ranges + i;
  return 0;
}

enum gasan_search { GASAN_SEARCH_NOTHING, GASAN_SEARCH_FOUND, GASAN_SEARCH_CHANGING };

/* Sets *bounds to the bounds of the range that contains the pointer. CHANGING: the host replaced the table in each
 * of the tries. */
GASAN_ABI_FUNCTION enum gasan_search gasan_ranges_search(const volatile struct gasan_range_table *table,
                                                         uint64_t pointer, int walk, struct gasan_bounds *bounds) {
  for (int tries = 0; tries < GASAN_RANGES_TRIES; tries++) {
    uint64_t current = table->current;
    const volatile struct gasan_range *ranges =
        (const volatile struct gasan_range *)table->ranges + (current >> GASAN_RANGES_BITS & GASAN_RANGES_MOST);
    uint64_t count = current & GASAN_RANGES_MOST;
    const volatile struct gasan_range *range =
        walk ? gasan_ranges_walk(ranges, count, pointer) : gasan_ranges_floor(ranges, count, pointer);
    int found = range && pointer <= range->last;
    if (found)
      *bounds = gasan_bounds_make(range->base, range->size, GASAN_OBJECT_MEMORY);
    if (table->current == current)
      return found ? GASAN_SEARCH_FOUND : GASAN_SEARCH_NOTHING;
  }
  return GASAN_SEARCH_CHANGING;
}

#endif
