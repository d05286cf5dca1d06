/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A queue of freed chunks, oldest first, that wait before their addresses may be given again (private to pool/). The
 * pool has two: chunks that wait with their memory, and dead ones, which wait without. No lock inside. */
#ifndef GASAN_POOL_QUARANTINE_H
#define GASAN_POOL_QUARANTINE_H

#include "pool/entry.h"

struct gasan_quarantine {
  struct gasan_entry *oldest, *newest;
  uint64_t chunks, bytes; /* bytes of user ranges */
  uint64_t charge;        /* the same, as the quarantine's size is compared with */
};

uint64_t gasan_quarantine_charge(const struct gasan_entry *entry);
void gasan_quarantine_push(struct gasan_quarantine *quarantine, struct gasan_entry *entry);
/* NULL: it is empty. */
struct gasan_entry *gasan_quarantine_pop(struct gasan_quarantine *quarantine);

#endif
