/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records which addresses of the window are taken, and finds room for new chunks (private to pool/).
 *
 * First fit: a request gets the lowest address that satisfies it. The redzones of neighbours overlap: the gap between
 * two chunks is at least the greater of their redzones (gasan 3.3). O(log n) expected. No lock inside. */
#ifndef GASAN_POOL_SPACE_H
#define GASAN_POOL_SPACE_H

#include "pool/entry.h"

struct gasan_space {
  uint64_t base, end;
  struct gasan_tree taken; /* of gasan_entry.space_node */
  struct gasan_entry edge; /* an empty chunk at the window's start; its gap is the one before the first chunk */
};

void gasan_space_init(struct gasan_space *space, uint64_t base, uint64_t size);

/* Returns whether the request fits into an empty window. */
bool gasan_space_could_fit(const struct gasan_space *space, const struct gasan_layout *layout);
/* Sets *base to the lowest address where the request fits. Returns false if there is none. */
bool gasan_space_find(const struct gasan_space *space, const struct gasan_layout *layout, uint64_t *base);

/* Takes the addresses of the entry, whose layout and base are set. gasan_space_find must have returned the base. */
void gasan_space_take(struct gasan_space *space, struct gasan_entry *entry);
void gasan_space_give_back(struct gasan_space *space, struct gasan_entry *entry);

/* Returns the last entry that begins at or below the address, or the edge. */
struct gasan_entry *gasan_space_floor(const struct gasan_space *space, uint64_t address);
/* Return the entries in the order of addresses; NULL: no more. */
struct gasan_entry *gasan_space_first(const struct gasan_space *space);
struct gasan_entry *gasan_space_next(const struct gasan_entry *entry);
/* Sets *left and *right to the distances from the taken entry's user range to its neighbours' or the window's edges. */
void gasan_space_distances(const struct gasan_space *space, const struct gasan_entry *entry, uint64_t *left,
                           uint64_t *right);

#endif
