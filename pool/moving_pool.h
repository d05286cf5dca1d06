/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pool that moves its chunks, for devices without virtual memory management (gasan 3.2.2; private to pool/).
 *
 * The pool's memory is a plain allocation, a segment. When the segment is full, a larger one replaces it: the pool
 * copies all chunks there and updates the table by which device code translates handles. A segment may not move while
 * kernels run, or once it is pinned, because a captured graph or a texture has an address in it. The pool then opens a
 * second segment. A freed id is reused as late as possible, and the freed chunk's record stays until then. Device code
 * knows each object's exact size, so redzones (redzone_min bytes) only protect against code without instrumentation.
 *
 * moving_segments.c finds room for chunks, moving_pool.c does everything else. */
#ifndef GASAN_POOL_MOVING_POOL_H
#define GASAN_POOL_MOVING_POOL_H

#include "handles/handle_table.h"
#include "pool/kind.h"
#include "pool/space.h"

/* Chunks are placed in a segment as if the segment had this size. A place beyond its memory makes the segment grow. */
#define GASAN_MOVING_SPACE (1ull << 60)

/* A plain allocation. */
struct gasan_moving_segment {
  struct gasan_space space; /* of offsets in the segment */
  uint64_t address, size;
  uint64_t live; /* chunks */
  bool pinned;   /* the program or CUDA has device addresses in it: it may not move */
  struct gasan_moving_segment *next;
};

struct gasan_moving_chunk {
  struct gasan_entry entry; /* base is the offset in the segment; record_node and the tables' members are unused */
  struct gasan_moving_segment *segment; /* NULL once freed: only the record is left */
  uint64_t handle;
};

/* The pool's lock protects all members but `ids` and `table`, which are set once. */
struct gasan_moving_pool {
  struct gasan_pool pool; /* first: a pointer to one is a pointer to the other */
  struct gasan_handles *ids;
  uint64_t table;                        /* the device's copy of entries[] */
  struct gasan_handle_entry *entries;    /* by id */
  struct gasan_moving_chunk **chunks;    /* by id: the last chunk that had it, live or freed; NULL: none yet */
  uint64_t id_end;                       /* greater than every id in use */
  struct gasan_moving_segment *segments; /* the newest first */
  struct gasan_pool_counters counters;
};

/* gasan_pool_create for options with handle_bits. ERR_INVALID: handle_bits is greater than GASAN_HANDLE_MOST_BITS. */
struct gasan_status gasan_moving_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                             struct gasan_pool **pool);

/* The functions below need the pool's lock. */

/* Copies entries[first] to entries[end - 1] to the device. The status is the device's. */
struct gasan_status gasan_moving_upload(struct gasan_moving_pool *moving, uint64_t first, uint64_t end);
/* Chooses the chunk's segment and its base, but does not take them (gasan_space_take). The chunk's layout must be set.
 * May move chunks, and then uploads the handle table. ERR_OUT_OF_MEMORY, ERR_OUT_OF_HOST_MEMORY, or the device's
 * status. */
struct gasan_status gasan_moving_find_room(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk);

#endif
