/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that do not wrap around, and lists of them (private to proof/). Operations on intervals split their operands
 * into ranges, and build the result from ranges. */
#ifndef GASAN_PROOF_RANGES_H
#define GASAN_PROOF_RANGES_H

#include "proof/interval.h"

struct gasan_proof_range {
  uint64_t first, last;
};

#define GASAN_PROOF_RANGES 256u /* two for each of 64 shifts of two ranges */

struct gasan_proof_ranges {
  uint32_t count;
  struct gasan_proof_range at[GASAN_PROOF_RANGES];
};

static inline uint64_t gasan_interval_mask(uint32_t bits) {
  return ~(uint64_t)0 >> (64 - bits);
}

static inline uint64_t gasan_interval_sign(uint32_t bits) {
  return (uint64_t)1 << (bits - 1);
}

static inline void gasan_proof_ranges_add(struct gasan_proof_ranges *ranges, uint64_t first, uint64_t last) {
  ranges->at[ranges->count++] = (struct gasan_proof_range){first, last};
}

/* Adds the interval's ranges: two if it wraps around, none if it is empty. */
void gasan_proof_ranges_take(struct gasan_proof_ranges *ranges, struct gasan_interval a);

/* Returns the smallest interval that contains all ranges. Sorts them. */
struct gasan_interval gasan_proof_ranges_hull(struct gasan_proof_ranges *ranges, uint32_t bits);

/* Flips the sign bit of all values: signed order becomes unsigned order. */
struct gasan_interval gasan_interval_flip(struct gasan_interval a);

/* Holds sums and products of two 64-bit values without overflow. */
typedef __int128 gasan_wide;

struct gasan_signed_range {
  gasan_wide first, last;
};

struct gasan_signed_ranges {
  uint32_t count;
  struct gasan_signed_range at[2];
};

/* Returns the interval's one or two ranges of signed values; none if it is empty. */
struct gasan_signed_ranges gasan_signed_ranges_of(struct gasan_interval a);

#endif
