/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of all chunks that can be found, live or freed, ordered by address (private to pool/). Their user ranges
 * do not overlap. Owns the entries. No lock inside. */
#ifndef GASAN_POOL_RECORDS_H
#define GASAN_POOL_RECORDS_H

#include "pool/entry.h"
#include "pool/quarantine.h"

struct gasan_records {
  struct gasan_tree tree; /* of gasan_entry.record_node */
  uint64_t released;      /* entries in that state; counted by those who change it */
  uint32_t tags_before;   /* of the chunks that the last add forgot: bits by tag, of random ones */
  struct gasan_quarantine
      forgotten; /* tagged chunks that are not in the tree any more: their pointers still tell of them */
};

void gasan_records_init(struct gasan_records *records);
void gasan_records_destroy(struct gasan_records *records);

/* Adds the entry; forgets the released chunks whose addresses its user range or its redzones (their smallest extent)
 * take, so that an overflow of the new chunk is never told as a use of an old one. Returns how many were forgotten. Of
 * tagged ones the latest are kept beside the tree. */
uint64_t gasan_records_add(struct gasan_records *records, struct gasan_entry *entry);

/* Random tags that the entry, just added, had better not have, as bits by tag: those of its neighbours, which an
 * overflow comes from, and of the chunks that had its addresses, whose pointers may still be about. */
uint32_t gasan_records_tags_near(const struct gasan_records *records, const struct gasan_entry *entry);

/* The chunk whose user range holds the address, or NULL. */
struct gasan_entry *gasan_records_holder(const struct gasan_records *records, uint64_t address);
/* The chunk that a pointer with this tag is of, live or freed, forgotten ones included: the one whose user range holds
 * the address, else the nearest of those with the tag. NULL: none is known. Looks at all records. */
struct gasan_entry *gasan_records_tagged(const struct gasan_records *records, uint64_t address, uint32_t tag);
/* The holder, else the nearest chunk, a live one at equal distance. NULL: there are no records. */
struct gasan_entry *gasan_records_nearest(const struct gasan_records *records, uint64_t address);

#endif
