/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Foreign ranges: memory that kernels or copies may use and that is not the pool's: managed, page-locked, registered,
 * imported, variables.
 *
 * Each has a record like a pool's chunk, with the stacks of its birth and its end. A range that was freed leaves its
 * record behind. Where the memory itself is in quarantine, too (bounded in bytes), no other allocation can have its
 * addresses, and a later use is certainly one after free; a record whose memory was given back only explains a second
 * free. A new range takes the place of all records that it overlaps. Sorted by address: O(log n) to find. Any thread.
 */
#ifndef GASAN_RT_FOREIGN_H
#define GASAN_RT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/pool.h"

/* Bits, so that a set of them can be named. */
enum gasan_foreign_kind {
  GASAN_FOREIGN_MANAGED = 1,
  GASAN_FOREIGN_PINNED = 2,
  GASAN_FOREIGN_REGISTERED = 4, /* the program's own memory: what lies beyond its ends may be the program's as well */
  GASAN_FOREIGN_IMPORTED = 8,   /* of external memory */
  GASAN_FOREIGN_POOLED = 16,    /* from a memory pool of CUDA's own */
  GASAN_FOREIGN_VARIABLE = 32,  /* of a module; chunk.api is its name */
  GASAN_FOREIGN_DRIVER = 64,    /* from the driver API; never quarantined, because a context may take it away */
  GASAN_FOREIGN_DRIVER_HOST = 128, /* the same, page-locked */
  GASAN_FOREIGN_MAPPED = 256,      /* by cuMemMap: several side by side may be one object */
};

/* What cudaFree and cuMemFree take; what cudaFreeHost and cuMemFreeHost take; ranges that more may follow of the same
 * object. */
#define GASAN_FOREIGN_FOR_FREE                                                                                         \
  (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_POOLED | GASAN_FOREIGN_IMPORTED | GASAN_FOREIGN_DRIVER)
#define GASAN_FOREIGN_FOR_FREE_HOST (GASAN_FOREIGN_PINNED | GASAN_FOREIGN_DRIVER_HOST)
#define GASAN_FOREIGN_OPEN_ENDED (GASAN_FOREIGN_REGISTERED | GASAN_FOREIGN_MAPPED)

struct gasan_foreign {
  struct gasan_chunk chunk; /* without redzones */
  enum gasan_foreign_kind kind;
  bool quarantined; /* freed, and no other allocation can have the addresses */
};

/* size > 0. Without host memory for the record the range stays unknown. */
void gasan_foreign_add(enum gasan_foreign_kind kind, const void *base, size_t size, struct gasan_pool_caller caller);
/* The range, live or freed, that holds the address. */
bool gasan_foreign_find(const void *address, struct gasan_foreign *range);

/* What a pointer with these bounds belongs to, whose access touched `fault`: if it may have been of either of two
 * ranges that touch, the one that the access is nearer to. False: no range is known there. */
bool gasan_foreign_explain(uint64_t base, uint64_t size, uint64_t fault, struct gasan_foreign *range);

enum gasan_foreign_end {
  GASAN_FOREIGN_ENDED,
  GASAN_FOREIGN_NOT_KNOWN,
  GASAN_FOREIGN_OTHER_KIND, /* live, but not of these kinds */
  GASAN_FOREIGN_INTERIOR,   /* live, but it begins elsewhere */
  GASAN_FOREIGN_FREED,      /* before */
};
/* The range that begins here and is of one of the kinds is freed; `quarantine`: its memory is quarantined, and the
 * caller calls gasan_foreign_excess. *range (as it was) is set unless NOT_KNOWN. */
enum gasan_foreign_end gasan_foreign_end(const void *base, uint32_t kinds, struct gasan_pool_caller caller,
                                         bool quarantine, struct gasan_foreign *range);
/* All live ranges of these kinds inside [base, base + size) are freed; their memory is not quarantined. */
void gasan_foreign_end_inside(const void *base, size_t size, uint32_t kinds, struct gasan_pool_caller caller);
/* The free did not happen: the range is live. */
void gasan_foreign_revive(const void *base);
/* Takes the oldest quarantined range out of those beyond `limit` bytes, for the caller to give back; false: there is
 * none. */
bool gasan_foreign_excess(uint64_t limit, struct gasan_foreign *range);
/* Forgets ranges of these kinds, live and freed; their memory is somebody else's now. */
void gasan_foreign_forget(uint32_t kinds);
/* Forgets the one that holds the address. */
void gasan_foreign_forget_at(const void *address);

/* Visits the live ranges and, `each`, the freed ones that are quarantined, in address order; visit must not call these
 * functions. */
void gasan_foreign_each(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
void gasan_foreign_each_live(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
/* Changes whenever the set of these ranges does: what was made of them before is out of date. One atomic load. */
uint64_t gasan_foreign_epoch(void);

#endif
