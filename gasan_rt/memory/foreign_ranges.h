/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The foreign ranges as device code searches them (shadow/bounds.h): which pointers are whose, and with which bounds.
 *
 * The pointer past a range's end is the range's. Where the next one begins right there, the pointer may be either's: it
 * gets the bounds of both, since a false alarm is worse than a miss; all other pointers of the two have their own's.
 * Registered ranges that touch, and mapped ones, are one object. Freed ranges that are held have size 0. */
#ifndef GASAN_RT_FOREIGN_RANGES_H
#define GASAN_RT_FOREIGN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "shadow/ranges.h"

struct gasan_foreign_ranges {
  struct gasan_range *values; /* malloc's */
  uint64_t count, room;
  uint32_t open_ended; /* the last one's kind, if more of the same object may follow */
  bool complete;
};

/* Of what there is now. False: without host memory for it. The caller frees values either way. Any thread. */
bool gasan_foreign_ranges_make(struct gasan_foreign_ranges *ranges);

/* One more, anywhere. The pointer past its end is its own, and nothing else begins there. To be sorted then. */
void gasan_foreign_ranges_add(struct gasan_foreign_ranges *ranges, uint64_t base, uint64_t size);
void gasan_foreign_ranges_sort(struct gasan_foreign_ranges *ranges);

#endif
