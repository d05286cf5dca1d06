/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How device code in BST mode finds a pool's chunks (private to pool/): page map and tables, or every chunk in one
 * sorted array, which is searched as a tree or walked as a list (gpuarmor 5 compares them). The pool's lock protects
 * it, but for flush of the tables, which have their own. */
#ifndef GASAN_POOL_LOOKUP_H
#define GASAN_POOL_LOOKUP_H

#include <stdatomic.h>

#include "base/abi.h"
#include "pool/space.h"
#include "shadow/ranges.h"
#include "shadow/tables.h"

struct gasan_chunk_lookup {
  struct gasan_tables *tables; /* NULL: the pool has none */
  struct gasan_ranges *ranges; /* NULL: likewise */
  enum gasan_pool_lookup kind;
  struct gasan_pointer_span prepared; /* of the chunk that is being allocated */
  atomic_bool changed;                /* the ranges are not those of the chunks any more */
  struct gasan_range *values;         /* what they are made of */
  uint64_t room;
};

/* Nothing is opened for GASAN_POOL_LOOKUP_NONE. The status is that of tables or ranges. */
struct gasan_status gasan_chunk_lookup_open(struct gasan_chunk_lookup *lookup, struct gasan_device *device,
                                            enum gasan_pool_lookup kind, bool tags, uint64_t base, uint64_t size);
void gasan_chunk_lookup_close(struct gasan_chunk_lookup *lookup);

/* The entry's base is chosen, but it is not in the space yet: all that can fail. */
struct gasan_status gasan_chunk_lookup_prepare(struct gasan_chunk_lookup *lookup, const struct gasan_space *space,
                                               struct gasan_entry *entry);
void gasan_chunk_lookup_cancel(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
/* The entry that was prepared last is in the space. */
void gasan_chunk_lookup_add(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
void gasan_chunk_lookup_kill(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);
/* Its addresses are free. */
void gasan_chunk_lookup_release(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry);

/* Is there something that needs the pool's lock before it can be flushed? */
bool gasan_chunk_lookup_changed(const struct gasan_chunk_lookup *lookup);
struct gasan_status gasan_chunk_lookup_write(struct gasan_chunk_lookup *lookup, const struct gasan_space *space);
struct gasan_status gasan_chunk_lookup_flush(struct gasan_chunk_lookup *lookup);

void gasan_chunk_lookup_params(const struct gasan_chunk_lookup *lookup, struct gasan_params *params);
uint64_t gasan_chunk_lookup_memory(const struct gasan_chunk_lookup *lookup);
uint64_t gasan_chunk_lookup_used(const struct gasan_chunk_lookup *lookup);

#endif
