/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A queue of freed chunks, oldest first, whose addresses may not be reused yet (private to pool/). The pool has two:
 * for chunks that still have their memory, and for dead chunks, which do not. No lock inside. */
#ifndef GASAN_POOL_QUARANTINE_H
#define GASAN_POOL_QUARANTINE_H

#include "pool/entry.h"

struct gasan_quarantine {
  struct gasan_entry *oldest, *newest;
  uint64_t chunks, bytes; /* in user ranges */
  uint64_t charge;        /* sum of gasan_quarantine_charge; the quarantine's size limits it */
};

/* Returns the bytes that the entry counts: its size, at least GASAN_POOL_LEAST_QUARANTINED. */
uint64_t gasan_quarantine_charge(const struct gasan_entry *entry);
void gasan_quarantine_push(struct gasan_quarantine *quarantine, struct gasan_entry *entry);
/* Returns the oldest entry; NULL: the queue is empty. */
struct gasan_entry *gasan_quarantine_pop(struct gasan_quarantine *quarantine);

#endif
