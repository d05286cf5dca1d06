/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How device code in BST mode looks up a pool's chunks (private to pool/). Either there are a page map and tables, or
 * all chunks are in one sorted array. Device code searches the array as a tree or walks it as a list (gpuarmor 5
 * compares them). The pool's lock protects all functions but gasan_chunk_lookup_flush; tables have their own lock. */
#ifndef GASAN_POOL_LOOKUP_H
#define GASAN_POOL_LOOKUP_H

#include <stdatomic.h>

#include "base/abi.h"
#include "pool/space.h"
#include "shadow/range_table.h"
#include "shadow/tables.h"

struct gasan_chunk_lookup {
  struct gasan_tables *tables;         /* NULL: the pool has none */
  struct gasan_ranges *_Atomic ranges; /* NULL: the pool has none */
  enum gasan_pool_lookup kind;
  uint32_t block;                     /* of the spans (shadow/pointer_span.h) */
  struct gasan_pointer_span prepared; /* the span of the chunk that is being allocated */
  atomic_bool changed;                /* the ranges are out of date */
  struct gasan_range *values;         /* buffer for the ranges, of `room` elements */
  uint64_t room;
};

/* Opens tables or ranges, or nothing for GASAN_POOL_LOOKUP_NONE. The status is theirs. */
struct gasan_status gasan_chunk_lookup_open(struct gasan_chunk_lookup *lookup, struct gasan_device *device,
                                            enum gasan_pool_lookup kind, bool tags, uint64_t base, uint64_t size);
/* Opens ranges, searched as a tree, in a lookup of kind NONE that is in use. The status is theirs. */
struct gasan_status gasan_chunk_lookup_add_ranges(struct gasan_chunk_lookup *lookup, struct gasan_device *device);
void gasan_chunk_lookup_close(struct gasan_chunk_lookup *lookup);

/* Prepares the tables for an entry whose base is chosen, and which is not in the space yet. Does everything that can
 * fail. */
struct gasan_status gasan_chunk_lookup_prepare(struct gasan_chunk_lookup *lookup, const struct gasan_space *space,
                                               struct gasan_entry *entry);
void gasan_chunk_lookup_cancel(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
/* Adds the entry that was prepared last, and which is in the space now. */
void gasan_chunk_lookup_add(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
void gasan_chunk_lookup_kill(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
/* Marks the entry's addresses as free for reuse. */
void gasan_chunk_lookup_release(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);

/* Returns whether gasan_chunk_lookup_write must be called, with the pool's lock. */
bool gasan_chunk_lookup_changed(const struct gasan_chunk_lookup *lookup);
struct gasan_status gasan_chunk_lookup_write(struct gasan_chunk_lookup *lookup, const struct gasan_space *space);
struct gasan_status gasan_chunk_lookup_flush(struct gasan_chunk_lookup *lookup);

void gasan_chunk_lookup_params(const struct gasan_chunk_lookup *lookup, struct gasan_params *params);
uint64_t gasan_chunk_lookup_memory(const struct gasan_chunk_lookup *lookup);
uint64_t gasan_chunk_lookup_used(const struct gasan_chunk_lookup *lookup);

#endif
