/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/ranges.h"

void gasan_proof_ranges_take(struct gasan_proof_ranges *ranges, struct gasan_interval a) {
  uint64_t mask = gasan_interval_mask(a.bits);
  if (a.empty)
    return;
  if (a.span <= mask - a.low) {
    gasan_proof_ranges_add(ranges, a.low, a.low + a.span);
    return;
  }
  gasan_proof_ranges_add(ranges, a.low, mask);
  gasan_proof_ranges_add(ranges, 0, (a.low + a.span) & mask);
}

static void sort(struct gasan_proof_ranges *ranges) {
  for (uint32_t i = 1; i < ranges->count; i++) {
    struct gasan_proof_range range = ranges->at[i];
    uint32_t j = i;
    for (; j > 0 && ranges->at[j - 1].first > range.first; j--)
      ranges->at[j] = ranges->at[j - 1];
    ranges->at[j] = range;
  }
}

/* Returns the hull that excludes the widest gap; among equal gaps, the one that wraps around. */
struct gasan_interval gasan_proof_ranges_hull(struct gasan_proof_ranges *ranges, uint32_t bits) {
  if (!ranges->count)
    return gasan_interval_empty(bits);
  sort(ranges);
  uint64_t mask = gasan_interval_mask(bits), end = ranges->at[0].last;
  uint64_t widest = 0, after = 0;
  for (uint32_t i = 1; i < ranges->count; i++) {
    struct gasan_proof_range range = ranges->at[i];
    uint64_t gap = range.first > end ? range.first - end - 1 : 0;
    if (gap > widest) {
      widest = gap;
      after = i;
    }
    if (range.last > end)
      end = range.last;
  }
  uint64_t first = ranges->at[0].first;
  if (mask - end + first >= widest)
    return gasan_interval_between(bits, first, end);
  uint64_t last = ranges->at[0].last;
  for (uint32_t i = 1; i < after; i++)
    if (ranges->at[i].last > last)
      last = ranges->at[i].last;
  return gasan_interval_between(bits, ranges->at[after].first, last);
}

struct gasan_interval gasan_interval_flip(struct gasan_interval a) {
  if (!a.empty && a.span != gasan_interval_mask(a.bits))
    a.low ^= gasan_interval_sign(a.bits);
  return a;
}

struct gasan_signed_ranges gasan_signed_ranges_of(struct gasan_interval a) {
  struct gasan_proof_ranges flipped;
  flipped.count = 0;
  gasan_proof_ranges_take(&flipped, gasan_interval_flip(a));
  struct gasan_signed_ranges ranges = {.count = flipped.count};
  gasan_wide sign = gasan_interval_sign(a.bits);
  for (uint32_t i = 0; i < flipped.count; i++)
    ranges.at[i] =
        (struct gasan_signed_range){(gasan_wide)flipped.at[i].first - sign, (gasan_wide)flipped.at[i].last - sign};
  return ranges;
}
