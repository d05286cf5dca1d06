/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records foreign ranges: memory outside the pool that kernels or copies may use. Such memory is managed, page-locked,
 * registered, imported, or a variable.
 *
 * Each range has a record like a chunk of the pool, with the stacks of its allocation and its free. The record of a
 * freed range is kept. If its memory is in quarantine (which is bounded in bytes), no other allocation can get the
 * addresses, and a later use is certainly a use after free. If the memory was returned to CUDA, the record only
 * explains a double free. A new range replaces all records that it overlaps.
 *
 * Ranges are sorted by address: a search takes O(log n). Any thread. One lock (`lock`), under which nothing is
 * called. */
#ifndef GASAN_RT_FOREIGN_H
#define GASAN_RT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/pool.h"

/* Kinds of ranges. They are bits, so that a parameter can name a set of kinds. */
enum gasan_foreign_kind {
  GASAN_FOREIGN_MANAGED = 1,
  GASAN_FOREIGN_PINNED = 2,
  GASAN_FOREIGN_REGISTERED = 4,    /* the program's own memory; the bytes beyond its ends may be the program's, too */
  GASAN_FOREIGN_IMPORTED = 8,      /* from external memory */
  GASAN_FOREIGN_POOLED = 16,       /* from a memory pool of CUDA's own */
  GASAN_FOREIGN_VARIABLE = 32,     /* of a module; chunk.api is its name */
  GASAN_FOREIGN_DRIVER = 64,       /* from the driver API; never quarantined, because destroying a context frees it */
  GASAN_FOREIGN_DRIVER_HOST = 128, /* the same, page-locked */
  GASAN_FOREIGN_MAPPED = 256,      /* by cuMemMap; several adjacent ranges may be one object */
};

/* The kinds that cudaFree and cuMemFree accept; the kinds that cudaFreeHost and cuMemFreeHost accept; the kinds of
 * which several adjacent ranges may be one object. */
#define GASAN_FOREIGN_FOR_FREE                                                                                         \
  (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_POOLED | GASAN_FOREIGN_IMPORTED | GASAN_FOREIGN_DRIVER)
#define GASAN_FOREIGN_FOR_FREE_HOST (GASAN_FOREIGN_PINNED | GASAN_FOREIGN_DRIVER_HOST)
#define GASAN_FOREIGN_OPEN_ENDED (GASAN_FOREIGN_REGISTERED | GASAN_FOREIGN_MAPPED)

struct gasan_foreign {
  struct gasan_chunk chunk; /* without redzones */
  enum gasan_foreign_kind kind;
  uint64_t number;  /* with a canary (host_canary.h): of the chunk (canary_table.h) */
  bool quarantined; /* freed, and its addresses are not reused */
};

/* Records a range; `size` must not be 0. Without host memory, the range stays unknown. */
void gasan_foreign_add(enum gasan_foreign_kind kind, const void *base, size_t size, struct gasan_pool_caller caller);
/* The same for a range with `canary` bytes behind it, and the number of the chunk. */
void gasan_foreign_add_with_canary(enum gasan_foreign_kind kind, const void *base, size_t size, uint32_t canary,
                                   uint64_t number, struct gasan_pool_caller caller);
/* Returns how many ranges of one kind, without canaries, were recorded so far. */
uint64_t gasan_foreign_added(enum gasan_foreign_kind kind);
/* Finds the range, live or freed, that holds the address. */
bool gasan_foreign_find(const void *address, struct gasan_foreign *range);

/* Finds the range of a pointer with these bounds, whose access touched `fault`. If the pointer may belong to either of
 * two adjacent ranges, chooses the one nearer to the access. Returns false if there is no range. */
bool gasan_foreign_explain(uint64_t base, uint64_t size, uint64_t fault, struct gasan_foreign *range);

enum gasan_foreign_end {
  GASAN_FOREIGN_ENDED,
  GASAN_FOREIGN_NOT_KNOWN,
  GASAN_FOREIGN_OTHER_KIND, /* live, but of another kind */
  GASAN_FOREIGN_INTERIOR,   /* live, but the pointer is not its start */
  GASAN_FOREIGN_FREED,      /* freed before */
};
/* Frees the range that begins at `base` and is of one of the kinds. With `quarantine`, the range's memory is
 * quarantined, and the caller must then call gasan_foreign_excess. Sets *range to the range before the free, unless it
 * returns NOT_KNOWN. */
enum gasan_foreign_end gasan_foreign_end(const void *base, uint32_t kinds, struct gasan_pool_caller caller,
                                         bool quarantine, struct gasan_foreign *range);
/* Frees all live ranges of these kinds inside [base, base + size), without quarantine. */
void gasan_foreign_end_inside(const void *base, size_t size, uint32_t kinds, struct gasan_pool_caller caller);
/* Makes the range live again, because CUDA has refused its free. */
void gasan_foreign_revive(const void *base);
/* If more than `limit` bytes are in quarantine, removes the oldest range from it, which the caller must return to CUDA.
 * Returns false if there is none. */
bool gasan_foreign_excess(uint64_t limit, struct gasan_foreign *range);
/* Removes the records of ranges of these kinds, live and freed: their memory may now belong to others. */
void gasan_foreign_forget(uint32_t kinds);
/* Removes the range that holds the address. */
void gasan_foreign_forget_at(const void *address);

/* Visit the live ranges in address order; gasan_foreign_each also visits the freed ranges in quarantine. visit must not
 * call functions of this header. */
void gasan_foreign_each(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
void gasan_foreign_each_live(void (*visit)(const struct gasan_foreign *range, void *context), void *context);
/* Returns a number that changes with the set of these ranges. One atomic load. */
uint64_t gasan_foreign_epoch(void);

#endif
