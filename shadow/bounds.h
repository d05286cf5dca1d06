/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a pointer's bounds are found: page map and block tables (cucatch 3.1, gpuarmor 5).
 *
 * One definition for the host, which writes the tables, and the device, which reads them: C11, C++17 and device code.
 * All addresses are device addresses, all sizes bytes. Nothing here fails, keeps state or takes a lock.
 *
 *   pointer -> page             base and size, in pages that one large chunk fills
 *   pointer -> page -> block    base and size, in pages that small chunks share
 *
 * The host, which has to know more of a chunk, and code with tags, have the cucatch paper's tables, which lead to
 * base-and-size entries (BST):
 *
 *   pointer -> page word -> BST entry
 *   pointer -> page word -> entry table -> BST entry
 *
 * A block that no chunk lies in belongs to a neighbour, so that pointers which have left their chunk a little find it
 * again: the block of a chunk's end is always that chunk's (redzones see to it). */
#ifndef GASAN_SHADOW_BOUNDS_H
#define GASAN_SHADOW_BOUNDS_H

#include "base/abi.h"

#define GASAN_MAP_PAGE_SHIFT 21u /* 2 MiB: a page of the map, whatever the device's own are */
#define GASAN_MAP_BLOCK_SHIFT 9u /* 512 bytes: chunks start at multiples, so that a block has bytes of one at most */
#define GASAN_MAP_BLOCKS (1u << (GASAN_MAP_PAGE_SHIFT - GASAN_MAP_BLOCK_SHIFT))

/* One load says the most frequent case, so this is what a lookup costs. */
struct __attribute__((aligned(16))) gasan_page {
  uint64_t base; /* of the live chunk that the page leads to. Below 2^32, where no window is: the number of its block
                    table */
  uint64_t
      size; /* of that chunk; with base 0 the base of the dead one that the page leads to, or 0: it leads to none */
};

/* A block's chunk. The lower half: its distance from the window's start, in blocks; 0: there is none. The upper half:
 * its size; 0: it is dead, or has 4 GiB or more, which the page behind the one that it begins in says then. */
typedef uint64_t gasan_block_word;

struct gasan_block_table {
  gasan_block_word words[GASAN_MAP_BLOCKS];
};

#define GASAN_NO_BLOCK_TABLE 0u /* all of its words are 0 */

/* One allocation. Entries are never moved; a dead one keeps its base, so that the host can say whose it was. */
struct gasan_bst_entry {
  uint64_t base;
  uint64_t size;       /* 0: dead */
  uint32_t generation; /* counts the allocations that had this entry, from 1 */
  uint32_t tag;        /* -fsanitize-gpu-address-tags: 1..15; 0: none */
  uint64_t reserved;
};

/* Entries that are no chunk's. */
#define GASAN_BST_UNKNOWN 0u /* {0, all}: not ours, not checked */
#define GASAN_BST_NOTHING 1u /* {0, 0}: in the window, but no chunk was ever there */
#define GASAN_BST_FIRST 2u

/* 0: no chunk. Else index << 1 of a BST entry, or index << 1 | 1 of an entry table. */
typedef uint64_t gasan_page_word;

struct gasan_entry_table {
  uint32_t entries[GASAN_MAP_BLOCKS]; /* BST index; 0: no chunk */
};

/* Where something is found by search: memory that the pool does not own, and all chunks with lookup=tree and
 * lookup=list. Sorted by `start`, without overlap. */
struct gasan_range {
  uint64_t start, last; /* pointers from the one to the other, both included, are this range's */
  uint64_t base, size;  /* its bounds; size 0: freed */
};

/* The host writes a new version beside the current one and then names it, so that a running kernel never sees half of
 * one: a search whose version has been replaced meanwhile is made again. */
struct gasan_range_table {
  uint64_t current; /* number of the version << 56 | index of its first range << 28 | how many ranges it has */
  uint64_t ranges;  /* struct gasan_range[]; 0: none yet */
};

#define GASAN_RANGES_BITS 28u
#define GASAN_RANGES_MOST ((1u << GASAN_RANGES_BITS) - 1)
#define GASAN_RANGES_TRIES 8 /* then the pointer counts as unknown */

/* What print_stats=1 prints. */
struct gasan_counters {
  uint64_t unknown; /* pointers that were looked up and are neither the pool's nor a foreign range's: not checked */
  uint64_t checks, accesses; /* executed by code compiled with -fsanitize-gpu-address-count-checks */
};

#define GASAN_NULL_PAGE 65536u /* no device address is as low */
#define GASAN_ADDRESS_BITS 57u /* or as high, on any device; nor is the host's memory, which some can touch */

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

/* May `width` bytes (1 or more) at `address` be touched? */
GASAN_ABI_FUNCTION int gasan_bounds_allow(struct gasan_bounds bounds, uint64_t address, uint64_t width) {
  uint64_t offset = address - bounds.base;
  return width <= bounds.size && offset <= bounds.size - width;
}

/* Does a page with this base lead to one live chunk? 0: no. */
GASAN_ABI_FUNCTION uint32_t gasan_page_is_chunk(uint64_t base) {
  return (uint32_t)(base >> 32);
}

GASAN_ABI_FUNCTION struct gasan_bounds gasan_nothing_there(void) {
  return gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
}

/* The window as device code knows it. The host changes the tables while kernels run, so each word is read once, and
 * past the L1 cache: what they say now. */
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
  if (size == 0 && behind < map->window_size >> GASAN_MAP_PAGE_SHIFT && map->pages[behind].base == base)
    size = map->pages[behind].size;
  return gasan_bounds_make(base, size, GASAN_OBJECT_MEMORY);
}

/* The bounds of a pointer into the window. */
GASAN_ABI_FUNCTION struct gasan_bounds gasan_page_map_find(const struct gasan_page_map *map, uint64_t pointer) {
  uint64_t offset = pointer - map->window_base;
  const volatile struct gasan_page *page = map->pages + (offset >> GASAN_MAP_PAGE_SHIFT);
  uint64_t base = page->base, size = page->size;
  if (gasan_page_is_chunk(base))
    return gasan_bounds_make(base, size, GASAN_OBJECT_MEMORY);
  if (base != GASAN_NO_BLOCK_TABLE)
    return gasan_block_bounds(map, map->tables[base].words[(offset >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS]);
  return size ? gasan_bounds_make(size, 0, GASAN_OBJECT_MEMORY) : gasan_nothing_there();
}

/* The BST index for the window's byte number `offset`, read likewise. */
GASAN_ABI_FUNCTION uint32_t gasan_entry_map_find(const volatile gasan_page_word *map,
                                                 const volatile struct gasan_entry_table *tables, uint64_t offset) {
  uint64_t word = map[offset >> GASAN_MAP_PAGE_SHIFT];
  if (!(word & 1))
    return (uint32_t)(word >> 1);
  return tables[word >> 1].entries[(offset >> GASAN_MAP_BLOCK_SHIFT) % GASAN_MAP_BLOCKS];
}

/* Ranges: each word is read once, and past the L1 cache. */

/* Of `count` ranges the last that begins at or below the pointer; null: none. */
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

/* The same as a list is searched: one after the other. */
GASAN_ABI_FUNCTION const volatile struct gasan_range *gasan_ranges_walk(const volatile struct gasan_range *ranges,
                                                                        uint64_t count, uint64_t pointer) {
  for (uint64_t i = 0; i < count; i++)
    if (ranges[i].start <= pointer && pointer <= ranges[i].last)
      return ranges + i;
  return 0;
}

enum gasan_search { GASAN_SEARCH_NOTHING, GASAN_SEARCH_FOUND, GASAN_SEARCH_CHANGING };

/* The bounds of the range that the pointer is of. */
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
