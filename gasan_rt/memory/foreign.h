/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Foreign ranges: memory outside the pool that kernels or copies may use. It is managed, page-locked, registered,
 * imported, or a variable.
 *
 * Each range has a record like a pool's chunk, with the stacks of its allocation and its free. The record of a freed
 * range stays. If its memory is in quarantine (bounded in bytes), no other allocation can have the addresses, and a
 * later use is certainly a use after free. If the memory was returned to CUDA, the record explains only a double free.
 * A new range replaces all records that it overlaps.
 *
 * Ranges are sorted by address: a search takes O(log n). Any thread. */
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
  GASAN_FOREIGN_REGISTERED = 4,    /* the program's own memory; the bytes beyond its ends may be the program's, too */
  GASAN_FOREIGN_IMPORTED = 8,      /* from external memory */
  GASAN_FOREIGN_POOLED = 16,       /* from a memory pool of CUDA's own */
  GASAN_FOREIGN_VARIABLE = 32,     /* of a module; chunk.api is its name */
  GASAN_FOREIGN_DRIVER = 64,       /* from the driver API; never quarantined, because destroying a context frees it */
  GASAN_FOREIGN_DRIVER_HOST = 128, /* the same, page-locked */
  GASAN_FOREIGN_MAPPED = 256,      /* by cuMemMap; several ranges side by side may be one object */
};

/* The kinds that cudaFree and cuMemFree take; those that cudaFreeHost and cuMemFreeHost take; those of which several
 * adjoining ranges may be one object. */
#define GASAN_FOREIGN_FOR_FREE                                                                                         \
  (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_POOLED | GASAN_FOREIGN_IMPORTED | GASAN_FOREIGN_DRIVER)
#define GASAN_FOREIGN_FOR_FREE_HOST (GASAN_FOREIGN_PINNED | GASAN_FOREIGN_DRIVER_HOST)
#define GASAN_FOREIGN_OPEN_ENDED (GASAN_FOREIGN_REGISTERED | GASAN_FOREIGN_MAPPED)

struct gasan_foreign {
  struct gasan_chunk chunk; /* without redzones */
  enum gasan_foreign_kind kind;
  bool quarantined; /* freed, and its addresses are not reused */
};

/* Records a range; size > 0. Without host memory the range stays unknown. */
void gasan_foreign_add(enum gasan_foreign_kind kind, const void *base, size_t size, struct gasan_pool_caller caller);
/* Finds the range, live or freed, that holds the address. */
bool gasan_foreign_find(const void *address, struct gasan_foreign *range);

/* Finds the range of a pointer with these bounds, whose access touched `fault`. If the pointer may belong to either of
 * two ranges that touch, takes the one nearer to the access. Returns false if there is no range. */
bool gasan_foreign_explain(uint64_t base, uint64_t size, uint64_t fault, struct gasan_foreign *range);

enum gasan_foreign_end {
  GASAN_FOREIGN_ENDED,
  GASAN_FOREIGN_NOT_KNOWN,
  GASAN_FOREIGN_OTHER_KIND, /* live, but of another kind */
  GASAN_FOREIGN_INTERIOR,   /* live, but the pointer is not its start */
  GASAN_FOREIGN_FREED,      /* freed before */
};
/* Frees the range that begins at `base` and is of one of the kinds. With `quarantine` its memory is quarantined, and
 * the caller must call gasan_foreign_excess. *range is set to the range as it was, unless NOT_KNOWN is returned. */
enum gasan_foreign_end gasan_foreign_end(const void *base, uint32_t kinds, struct gasan_pool_caller caller,
                                         bool quarantine, struct gasan_foreign *range);
/* Frees all live ranges of these kinds inside [base, base + size), without quarantine. */
void gasan_foreign_end_inside(const void *base, size_t size, uint32_t kinds, struct gasan_pool_caller caller);
/* Makes the range live again, after CUDA has refused its free. */
void gasan_foreign_revive(const void *base);
/* Removes the oldest range from the quarantine if it has more than `limit` bytes, for the caller to return to CUDA.
 * False: there is none. */
bool gasan_foreign_excess(uint64_t limit, struct gasan_foreign *range);
/* Removes ranges of these kinds, live and freed: their memory may belong to others now. */
void gasan_foreign_forget(uint32_t kinds);
/* Removes the range that holds the address. */
void gasan_foreign_forget_at(const void *address);

/* Visit the live ranges in address order; gasan_foreign_each visits the freed ranges in quarantine, too. visit must not
 * call functions of this header. */
void gasan_foreign_each(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
void gasan_foreign_each_live(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
/* Returns a number that changes with the set of these ranges. One atomic load. */
uint64_t gasan_foreign_epoch(void);

#endif
