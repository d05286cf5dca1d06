/* How a pointer's bounds are found: page map, block tables and base-and-size table (BST; cucatch 3.1, gpuarmor 5).
 *
 * One definition for the host, which writes the tables, and the device, which reads them: C11, C++17 and device code. All
 * addresses are device addresses, all sizes bytes. Nothing here fails, keeps state or takes a lock.
 *
 *   pointer -> page word -> BST entry                   pages that one large chunk fills
 *   pointer -> page word -> block table -> BST entry    pages that small chunks share
 *
 * A block that no chunk lies in belongs to a neighbour, so that pointers which have left their chunk a little find it again:
 * the block of a chunk's end is always that chunk's (redzones see to it). */
#ifndef GASAN_SHADOW_BOUNDS_H
#define GASAN_SHADOW_BOUNDS_H

#include "base/abi.h"

#ifdef GASAN_DEVICE_CODE
#define GASAN_BOUNDS_FN static __attribute__((device, always_inline, unused))
#else
#define GASAN_BOUNDS_FN static inline
#endif

#define GASAN_MAP_PAGE_SHIFT 21u /* 2 MiB: a page of the map, whatever the device's own are */
#define GASAN_MAP_BLOCK_SHIFT 9u /* 512 bytes: chunks start at multiples, so that a block has bytes of one at most */
#define GASAN_MAP_BLOCKS (1u << (GASAN_MAP_PAGE_SHIFT - GASAN_MAP_BLOCK_SHIFT))

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

/* 0: no chunk. Else index << 1 of a BST entry, or index << 1 | 1 of a block table. */
typedef uint64_t gasan_page_word;

struct gasan_block_table {
  uint32_t entries[GASAN_MAP_BLOCKS]; /* BST index; 0: no chunk */
};

/* Memory that the pool does not own: managed, pinned, imported. Sorted by base, without overlap. */
struct gasan_foreign_table {
  uint64_t count;
  uint64_t generation; /* changes with each change; odd: the host is changing it */
  struct {
    uint64_t base, size;  /* size: what may be touched; 0: freed */
    uint64_t end;         /* where the next range begins to be nearer: pointers up to here are this range's */
    uint64_t reserved;
  } entries[];
};

/* What print_stats=1 prints of lookups. */
struct gasan_lookup_counters {
  uint64_t unknown; /* pointers that are neither the pool's nor a foreign range's: not checked */
};

#define GASAN_NULL_PAGE 65536u /* no device address is as low */

struct gasan_bounds {
  uint64_t base, size;
  uint32_t object; /* enum gasan_object_code or a variable */
};

GASAN_BOUNDS_FN struct gasan_bounds gasan_bounds_make(uint64_t base, uint64_t size, uint32_t object) {
  struct gasan_bounds bounds;
  bounds.base = base;
  bounds.size = size;
  bounds.object = object;
  return bounds;
}

/* May `width` bytes (1 or more) at `address` be touched? */
GASAN_BOUNDS_FN int gasan_bounds_allow(struct gasan_bounds bounds, uint64_t address, uint64_t width) {
  uint64_t offset = address - bounds.base;
  return width <= bounds.size && offset <= bounds.size - width;
}

#endif
