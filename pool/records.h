/* The records of all chunks that can be found, live or freed, ordered by address (private to pool/). Their user ranges
 * do not overlap. Owns the entries. No lock inside. */
#ifndef GASAN_POOL_RECORDS_H
#define GASAN_POOL_RECORDS_H

#include "pool/entry.h"

struct gasan_records {
  struct gasan_tree tree; /* of gasan_entry.record_node */
  uint64_t released;      /* entries in that state; counted by those who change it */
};

void gasan_records_init(struct gasan_records *records);
void gasan_records_destroy(struct gasan_records *records);

/* Adds the entry; forgets the released chunks whose addresses its user range or its redzones (their smallest extent)
 * take, so that an overflow of the new chunk is never told as a use of an old one. Returns how many were forgotten. */
uint64_t gasan_records_add(struct gasan_records *records, struct gasan_entry *entry);

/* The chunk whose user range holds the address, or NULL. */
struct gasan_entry *gasan_records_holder(const struct gasan_records *records, uint64_t address);
/* The same, else the nearest chunk, a live one at equal distance. NULL: there are no records. */
struct gasan_entry *gasan_records_nearest(const struct gasan_records *records, uint64_t address);

#endif
