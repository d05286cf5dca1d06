/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes the least and the greatest result of a bitwise operation on two ranges (Warren, Hacker's Delight, 4-3). */
#include "proof/ranges.h"

typedef struct gasan_proof_range range;

static range complement(range a, uint32_t bits) {
  uint64_t mask = gasan_interval_mask(bits);
  return (range){~a.last & mask, ~a.first & mask};
}

/* Returns the least a | b. Finds the highest bit that only one operand has and that the other operand can get within
 * its range; that operand gets the bit, and its lower bits become 0. */
static uint64_t least_or(range a, range b, uint32_t bits) {
  for (uint64_t bit = gasan_interval_sign(bits); bit; bit >>= 1) {
    if (~a.first & b.first & bit) {
      uint64_t with = (a.first | bit) & -bit;
      if (with <= a.last)
        return with | b.first;
    } else if (a.first & ~b.first & bit) {
      uint64_t with = (b.first | bit) & -bit;
      if (with <= b.last)
        return a.first | with;
    }
  }
  return a.first | b.first;
}

static uint64_t greatest_or(range a, range b, uint32_t bits) {
  for (uint64_t bit = gasan_interval_sign(bits); bit; bit >>= 1) {
    if (!(a.last & b.last & bit))
      continue;
    uint64_t without = (a.last - bit) | (bit - 1);
    if (without >= a.first)
      return without | b.last;
    without = (b.last - bit) | (bit - 1);
    if (without >= b.first)
      return a.last | without;
  }
  return a.last | b.last;
}

static uint64_t least_and(range a, range b, uint32_t bits) {
  return ~greatest_or(complement(a, bits), complement(b, bits), bits) & gasan_interval_mask(bits);
}

static uint64_t greatest_and(range a, range b, uint32_t bits) {
  return ~least_or(complement(a, bits), complement(b, bits), bits) & gasan_interval_mask(bits);
}

static range of_or(range a, range b, uint32_t bits) {
  return (range){least_or(a, b, bits), greatest_or(a, b, bits)};
}

static range of_and(range a, range b, uint32_t bits) {
  return (range){least_and(a, b, bits), greatest_and(a, b, bits)};
}

static range of_xor(range a, range b, uint32_t bits) {
  range left = of_and(a, complement(b, bits), bits), right = of_and(complement(a, bits), b, bits);
  return (range){left.first | right.first, greatest_or((range){0, left.last}, (range){0, right.last}, bits)};
}

static struct gasan_interval each_pair(range (*operation)(range a, range b, uint32_t bits), struct gasan_interval a,
                                       struct gasan_interval b) {
  struct gasan_proof_ranges of_a, of_b, results;
  of_a.count = of_b.count = results.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  gasan_proof_ranges_take(&of_b, b);
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++) {
      range result = operation(of_a.at[i], of_b.at[j], a.bits);
      gasan_proof_ranges_add(&results, result.first, result.last);
    }
  return gasan_proof_ranges_hull(&results, a.bits);
}

struct gasan_interval gasan_interval_and(struct gasan_interval a, struct gasan_interval b) {
  return each_pair(of_and, a, b);
}

struct gasan_interval gasan_interval_or(struct gasan_interval a, struct gasan_interval b) {
  return each_pair(of_or, a, b);
}

struct gasan_interval gasan_interval_xor(struct gasan_interval a, struct gasan_interval b) {
  return each_pair(of_xor, a, b);
}
