/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that do not wrap around, and lists of them (private to proof/): what intervals are taken apart into and made
 * of. */
#ifndef GASAN_PROOF_RANGES_H
#define GASAN_PROOF_RANGES_H

#include "proof/interval.h"

struct gasan_proof_range {
  uint64_t first, last;
};

#define GASAN_PROOF_RANGES 256u /* two for each of 64 shifts of two */

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

/* The one or two ranges of an interval (none if it is empty) are added. */
void gasan_proof_ranges_take(struct gasan_proof_ranges *ranges, struct gasan_interval a);

/* The smallest interval that holds them all; sorts them. */
struct gasan_interval gasan_proof_ranges_hull(struct gasan_proof_ranges *ranges, uint32_t bits);

/* The interval with the sign bit flipped: signed order becomes unsigned order. */
struct gasan_interval gasan_interval_flip(struct gasan_interval a);

/* Sums and products of two 64-bit values, before they wrap around. */
typedef __int128 gasan_wide;

struct gasan_signed_range {
  gasan_wide first, last;
};

struct gasan_signed_ranges {
  uint32_t count;
  struct gasan_signed_range at[2];
};

/* The one or two ranges of signed values; none, if it is empty. */
struct gasan_signed_ranges gasan_signed_ranges_of(struct gasan_interval a);

#endif
