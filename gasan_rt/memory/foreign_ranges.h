/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the foreign ranges in the form that device code searches (shadow/bounds.h): intervals of pointers, with their
 * bounds.
 *
 * The pointer past the end of a range belongs to the range. If the next range begins right there, the pointer may
 * belong to either range, and gets the bounds of both together, since a false alarm is worse than a miss. All other
 * pointers of the two ranges get the bounds of their own range. Adjacent registered ranges are one object, and so are
 * adjacent mapped ranges. Freed ranges in quarantine have size 0. */
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

/* Adds a range at any address. No other range may begin at the range's end, so the pointer past its end belongs to this
 * range only. The caller must sort afterwards. */
void gasan_foreign_ranges_add(struct gasan_foreign_ranges *ranges, uint64_t base, uint64_t size);
/* Adds an interval of pointers, which overlaps no other. The caller must sort afterwards. */
void gasan_foreign_ranges_append(struct gasan_foreign_ranges *ranges, struct gasan_range range);
void gasan_foreign_ranges_sort(struct gasan_foreign_ranges *ranges);

#endif
