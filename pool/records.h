/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of all known chunks, live or freed, ordered by address (private to pool/). Their user ranges do not
 * overlap. Owns the entries. No lock inside. */
#ifndef GASAN_POOL_RECORDS_H
#define GASAN_POOL_RECORDS_H

#include "pool/entry.h"
#include "pool/quarantine.h"

struct gasan_records {
  struct gasan_tree tree; /* of gasan_entry.record_node */
  uint64_t released;      /* number of RELEASED entries; the caller counts them up */
  uint32_t tags_before;   /* random tags of the chunks that the last add forgot, as bits by tag */
  /* Tagged chunks that are no longer in the tree. The program may still have pointers with their tags. */
  struct gasan_quarantine forgotten;
};

void gasan_records_init(struct gasan_records *records);
void gasan_records_destroy(struct gasan_records *records);

/* Adds the entry. Forgets the released chunks whose addresses are now in its user range or its least redzones, so that
 * an overflow of the new chunk is never reported as a use of an old one. Returns the number of forgotten chunks. The
 * latest of these that have tags move to `forgotten`. */
uint64_t gasan_records_add(struct gasan_records *records, struct gasan_entry *entry);

/* Returns the random tags that the entry, just added, should not get, as bits by tag. These are the tags of its
 * neighbours, because pointers overflow from there, and of the chunks that had its addresses, because the program may
 * still have pointers to them. */
uint32_t gasan_records_tags_near(const struct gasan_records *records, const struct gasan_entry *entry);

/* Returns the chunk whose user range contains the address, or NULL. */
struct gasan_entry *gasan_records_holder(const struct gasan_records *records, uint64_t address);
/* Returns the chunk, live, freed or forgotten, that a pointer with this tag belongs to: the chunk with the tag whose
 * user range contains the address, else the nearest chunk with the tag. NULL: no chunk has the tag. Linear time. */
struct gasan_entry *gasan_records_tagged(const struct gasan_records *records, uint64_t address, uint32_t tag);
/* Returns the chunk whose user range contains the address, else the nearest one, a live one at equal distance. NULL:
 * there are no records. */
struct gasan_entry *gasan_records_nearest(const struct gasan_records *records, uint64_t address);

#endif
