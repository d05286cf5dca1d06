/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The foreign ranges in the form that device code searches (shadow/bounds.h): pointers and their bounds.
 *
 * The pointer past the end of a range belongs to the range. Where the next range begins right there, the pointer may
 * belong to either, and gets the bounds of both together, since a false alarm is worse than a miss. All other pointers
 * of the two get the bounds of their own range. Registered ranges that touch are one object, and so are mapped ones.
 * Freed ranges in quarantine have size 0. */
#ifndef GASAN_RT_FOREIGN_RANGES_H
#define GASAN_RT_FOREIGN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "shadow/range_table.h"

struct gasan_foreign_ranges {
  struct gasan_range *values; /* from malloc */
  uint64_t count, room;
  uint32_t open_ended; /* the kind of the last range, if more ranges of the same object may follow */
  bool complete;
};

/* Lists the current ranges. Returns false without host memory. The caller frees `values` either way. Any thread. */
bool gasan_foreign_ranges_make(struct gasan_foreign_ranges *ranges);

/* Adds a range at any address. The pointer past its end is its own, and no other range may begin there. Sort
 * afterwards. */
void gasan_foreign_ranges_add(struct gasan_foreign_ranges *ranges, uint64_t base, uint64_t size);
void gasan_foreign_ranges_sort(struct gasan_foreign_ranges *ranges);

#endif
