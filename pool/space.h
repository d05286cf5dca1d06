/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which addresses of the window are taken, and where a new chunk fits (private to pool/).
 *
 * First fit: the lowest address that satisfies the request. Neighbours' redzones overlap: between two chunks there is
 * at least the greater of their needs (gasan 3.3). O(log n) expected. No lock inside. */
#ifndef GASAN_POOL_SPACE_H
#define GASAN_POOL_SPACE_H

#include "pool/entry.h"

struct gasan_space {
  uint64_t base, end;
  struct gasan_tree taken; /* of gasan_entry.space_node */
  struct gasan_entry edge; /* an empty chunk at the window's start: the gap before the first chunk is its gap */
};

void gasan_space_init(struct gasan_space *space, uint64_t base, uint64_t size);

/* Could an empty window hold it? */
bool gasan_space_could_fit(const struct gasan_space *space, const struct gasan_layout *layout);
bool gasan_space_find(const struct gasan_space *space, const struct gasan_layout *layout, uint64_t *base);

/* entry->base and layout are set, the place was found by gasan_space_find. */
void gasan_space_take(struct gasan_space *space, struct gasan_entry *entry);
void gasan_space_give_back(struct gasan_space *space, struct gasan_entry *entry);

/* The last entry that begins at or below the address, or the edge. */
struct gasan_entry *gasan_space_floor(const struct gasan_space *space, uint64_t address);
/* In address order; NULL: none. */
struct gasan_entry *gasan_space_first(const struct gasan_space *space);
struct gasan_entry *gasan_space_next(const struct gasan_entry *entry);
/* Distance from the taken entry's user range to its neighbours' or to the window's edges. */
void gasan_space_distances(const struct gasan_space *space, const struct gasan_entry *entry, uint64_t *left,
                           uint64_t *right);

#endif
