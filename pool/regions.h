/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The regions of one chunk that a sub-allocator divides, and the bounds of pointers into it (private to pool/).
 *
 * A divided chunk is a row of pieces, ordered by address, and gaps between them. A piece is the part of the chunk
 * outside of the heaps, a live region, or the rest of a freed region: a new region takes its bytes from freed ones.
 * A gap is a part of a heap that no region had, or whose region was forgotten. Live regions never overlap.
 *
 * Kernels that were launched before a region was freed may still use it, and the sub-allocator may already have given
 * its bytes to another region. Such a region is `lingering`: until the earlier work is complete, its bytes stay
 * accessible, and a pointer that may belong to it or to the new region has the bounds of both.
 *
 * Only memory of the host; no lock inside: the pool's lock protects it. */
#ifndef GASAN_POOL_REGIONS_H
#define GASAN_POOL_REGIONS_H

#include "pool/pool.h"
#include "pool/tree.h"
#include "shadow/bounds.h"

/* Pointers in a gap belong to the nearest live piece if it is nearer than this, in bytes. So a pointer that has left
 * its region may come back. */
#define GASAN_REGION_REACH 512u

enum gasan_region_state { GASAN_REGION_LIVE, GASAN_REGION_FREED };

struct gasan_region {
  uint64_t base, size;
  enum gasan_region_state state;
  uint64_t sequence; /* as in struct gasan_chunk */
  struct gasan_pool_caller allocated, freed;
  uint32_t pieces; /* number of pieces that refer to the region */
  bool in_graph;   /* lingers as long as its heap exists */
  uint64_t ticket; /* of its free; 0: it does not linger */
  struct gasan_region *next_lingering;
};

struct gasan_piece {
  struct gasan_tree_node node; /* key: the piece's base */
  uint64_t end;
  struct gasan_region *region; /* NULL: outside of the heaps */
};

struct gasan_region_heap {
  uint64_t base, size;
  struct gasan_region_heap *next;
};

struct gasan_regions {
  uint64_t base, size; /* of the chunk */
  struct gasan_tree pieces;
  struct gasan_region_heap *heaps; /* not ordered */
  struct gasan_region *lingering;  /* not ordered */
  /* The blocks of bounds tables whose pointers have different bounds, ascending, as addresses. */
  uint64_t *searched;
  uint64_t searched_count, searched_room;
};

/* Returns the division of a chunk without heaps: one piece. NULL: no host memory. */
struct gasan_regions *gasan_regions_new(uint64_t base, uint64_t size);
void gasan_regions_delete(struct gasan_regions *regions);

/* Make a heap of [base, base + size), which must lie in one piece outside of the heaps; and end it, with all its
 * regions. add_heap returns NULL without host memory: nothing changed. */
struct gasan_region_heap *gasan_regions_add_heap(struct gasan_regions *regions, uint64_t base, uint64_t size);
void gasan_regions_remove_heap(struct gasan_regions *regions, struct gasan_region_heap *heap);
/* Returns the heap that contains all of [address, address + size), or NULL. */
struct gasan_region_heap *gasan_regions_heap(const struct gasan_regions *regions, uint64_t address, uint64_t size);

/* Adds a live region to a heap. No live region may have a byte of it. NULL: no host memory; nothing changed. */
struct gasan_region *gasan_regions_add(struct gasan_regions *regions, uint64_t base, uint64_t size,
                                       struct gasan_pool_caller caller);
/* Changes the size of a live region. Returns false without host memory: nothing changed. New bytes must not belong to a
 * live region. Bytes that the region loses become a gap. */
bool gasan_regions_resize(struct gasan_regions *regions, struct gasan_region *region, uint64_t size);
/* Keeps [base, base + size) accessible, like a region that lingers, until gasan_regions_settle gets the ticket. Returns
 * false without host memory. */
bool gasan_regions_linger(struct gasan_regions *regions, uint64_t base, uint64_t size, uint64_t ticket);
/* Frees a live region. ticket not 0: the region lingers until gasan_regions_settle gets the ticket. */
void gasan_regions_end(struct gasan_regions *regions, struct gasan_region *region, struct gasan_pool_caller caller,
                       uint64_t ticket);
/* Ends the lingering of one region with this ticket. Returns false if there is none; else sets its range. */
bool gasan_regions_settle(struct gasan_regions *regions, uint64_t ticket, uint64_t *base, uint64_t *size);

/* Returns the piece that contains the address; NULL: it is in a gap. */
struct gasan_piece *gasan_regions_holder(const struct gasan_regions *regions, uint64_t address);
/* Returns the first piece with a byte in [address, address + size) that is live, or NULL. */
struct gasan_piece *gasan_regions_live_in(const struct gasan_regions *regions, uint64_t address, uint64_t size);
/* Returns the number of live regions with a byte in [address, address + size). */
uint64_t gasan_regions_count_live(const struct gasan_regions *regions, uint64_t address, uint64_t size);
/* Returns the region that explains a bad access to the address best: the one whose piece contains it, else the nearest
 * in its heap, a live one at equal distance. NULL: its heap has no region, or the address is in no heap. */
struct gasan_region *gasan_regions_nearest(const struct gasan_regions *regions, uint64_t address);

/* Returns the bounds of a pointer, with the other pointers behind it that certainly have the same: start is the
 * pointer. Pointers from the chunk's base to its end, and some bytes beyond, have bounds. Size 0: a freed region; or,
 * if the base is a heap's, the pointer belongs to no region. Where freed memory begins at
 * a live region's end, that pointer has the bounds of the live region, and one byte in front of it. */
struct gasan_range gasan_regions_bounds(const struct gasan_regions *regions, uint64_t pointer);

/* Returns the first byte from `address` on that is not accessible, or, if `address` is not accessible, `address`; then
 * *next is the first accessible byte behind it, or the chunk's end. */
uint64_t gasan_regions_accessible(const struct gasan_regions *regions, uint64_t address, uint64_t *next);

/* Ensures that set_searched can add `count` blocks. Returns false without host memory. */
bool gasan_regions_reserve_searched(struct gasan_regions *regions, uint64_t count);
/* Replaces the searched blocks in [low, high) by these. */
void gasan_regions_set_searched(struct gasan_regions *regions, uint64_t low, uint64_t high, const uint64_t *blocks,
                                uint64_t count);

static inline uint64_t gasan_piece_base(const struct gasan_piece *piece) {
  return piece->node.key;
}

/* Returns true if the host's copies may use the piece: it is live, or a graph's. */
static inline bool gasan_piece_is_usable(const struct gasan_piece *piece) {
  return !piece->region || piece->region->state == GASAN_REGION_LIVE || piece->region->ticket == GASAN_TICKET_NEVER;
}

static inline bool gasan_piece_is_live(const struct gasan_piece *piece) {
  return !piece->region || piece->region->state == GASAN_REGION_LIVE;
}

#endif
