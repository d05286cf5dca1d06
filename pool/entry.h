/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pool's data about a chunk (private to pool/): its record, its place in the window, its place in a queue. */
#ifndef GASAN_POOL_ENTRY_H
#define GASAN_POOL_ENTRY_H

#include "pool/pool.h"
#include "pool/tree.h"

/* A QUARANTINED chunk is freed, but still has its addresses and its memory. A DEAD chunk has its addresses only. A
 * RELEASED chunk has neither; only its record is left. */
enum gasan_entry_state { GASAN_ENTRY_LIVE, GASAN_ENTRY_QUARANTINED, GASAN_ENTRY_DEAD, GASAN_ENTRY_RELEASED };

/* The requirements of a request for memory, independent of the place that it gets. */
struct gasan_layout {
  uint64_t size;       /* as requested */
  uint64_t accessible; /* of these, in the shadow: `size`, or one more (pool/window_allocate.c) */
  uint64_t aligned;    /* accessible, rounded up to GASAN_POOL_ALIGNMENT: redzones are counted from here */
  uint64_t footprint;  /* no other chunk may start in it: `aligned`, or whole pages for a large chunk */
  uint64_t lead;       /* the part of the footprint in front of the user range */
  uint64_t redzone;    /* least redzone on each side */
  uint64_t alignment;
  bool large;   /* does not share its pages */
  bool sampled; /* large, although it could share its pages */
};

/* The room between an entry's chunk and the next chunk, as four distances, which pool/space.c compares with a
 * request. */
struct gasan_gap {
  uint64_t from_footprint, from_end, from_footprint_to_redzone, from_end_to_redzone;
};

struct gasan_entry {
  struct gasan_tree_node record_node;   /* key: base; in the records as long as the entry exists */
  struct gasan_tree_node space_node;    /* key: base; in the space unless RELEASED */
  struct gasan_entry *next_quarantined; /* in its queue, if QUARANTINED or DEAD */
  struct gasan_gap gap, widest; /* after this chunk; the greatest of each distance in the subtree of space_node */
  struct gasan_layout layout;
  enum gasan_entry_state state;
  uint32_t tag; /* of the program's pointers to the chunk (shadow/tags.h); 0: none */
  uint64_t base;
  uint64_t sequence;
  uint32_t bst; /* number of its entry in the tables, if the pool has tables */
  struct gasan_pool_caller allocated, freed;
  struct gasan_regions *regions;    /* NULL: the chunk has no heaps of a sub-allocator */
  struct gasan_entry *next_divided; /* with regions: the next such chunk of the pool */
};

/* Returns the entry's record for callers of the pool. `base` is the program's pointer to the chunk. */
static inline struct gasan_chunk gasan_entry_chunk(const struct gasan_entry *entry, uint64_t base) {
  return (struct gasan_chunk){
      .base = base,
      .size = entry->layout.size,
      .redzone_left = entry->layout.redzone,
      .redzone_right = entry->layout.redzone,
      .state = entry->state == GASAN_ENTRY_LIVE ? GASAN_CHUNK_LIVE : GASAN_CHUNK_FREED,
      .sequence = entry->sequence,
      .is_divided = entry->regions != NULL,
      .api = entry->allocated.api,
      .allocation_stack = entry->allocated.stack,
      .free_stack = entry->freed.stack,
      .allocation_thread = entry->allocated.thread,
      .free_thread = entry->freed.thread,
  };
}

#endif
