/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes the values that satisfy a guard, the condition of a dominating branch. */
#include "proof/ranges.h"

/* Adds the intersection of two ranges, if there is one. */
static void intersect(struct gasan_proof_ranges *results, struct gasan_proof_range a, struct gasan_proof_range b) {
  uint64_t first = a.first > b.first ? a.first : b.first, last = a.last < b.last ? a.last : b.last;
  if (first <= last)
    gasan_proof_ranges_add(results, first, last);
}

struct gasan_interval gasan_interval_where_eq(struct gasan_interval a, struct gasan_interval b) {
  struct gasan_proof_ranges of_a, of_b, results;
  of_a.count = of_b.count = results.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  gasan_proof_ranges_take(&of_b, b);
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++)
      intersect(&results, of_a.at[i], of_b.at[j]);
  return gasan_proof_ranges_hull(&results, a.bits);
}

struct gasan_interval gasan_interval_where_ne(struct gasan_interval a, struct gasan_interval b) {
  if (b.empty || b.span)
    return b.empty ? b : a; /* a value that equals one value of b differs from the others */
  return gasan_interval_where_eq(a, gasan_interval_between(a.bits, b.low + 1, b.low - 1));
}

static struct gasan_interval intersect_interval(struct gasan_interval a, uint64_t first, uint64_t last) {
  struct gasan_proof_ranges of_a, results;
  of_a.count = results.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  for (uint32_t i = 0; i < of_a.count; i++)
    intersect(&results, of_a.at[i], (struct gasan_proof_range){first, last});
  return gasan_proof_ranges_hull(&results, a.bits);
}

static uint64_t greatest(struct gasan_interval b) {
  uint64_t mask = gasan_interval_mask(b.bits);
  return b.span > mask - b.low ? mask : b.low + b.span;
}

static uint64_t least(struct gasan_interval b) {
  return b.span > gasan_interval_mask(b.bits) - b.low ? 0 : b.low;
}

struct gasan_interval gasan_interval_where_ult(struct gasan_interval a, struct gasan_interval b) {
  return b.empty || !greatest(b) ? gasan_interval_empty(a.bits) : intersect_interval(a, 0, greatest(b) - 1);
}

struct gasan_interval gasan_interval_where_ule(struct gasan_interval a, struct gasan_interval b) {
  return b.empty ? b : intersect_interval(a, 0, greatest(b));
}

struct gasan_interval gasan_interval_where_ugt(struct gasan_interval a, struct gasan_interval b) {
  uint64_t mask = gasan_interval_mask(a.bits);
  return b.empty || least(b) == mask ? gasan_interval_empty(a.bits) : intersect_interval(a, least(b) + 1, mask);
}

struct gasan_interval gasan_interval_where_uge(struct gasan_interval a, struct gasan_interval b) {
  return b.empty ? b : intersect_interval(a, least(b), gasan_interval_mask(a.bits));
}

static struct gasan_interval as_signed(gasan_interval_binary *compare, struct gasan_interval a,
                                       struct gasan_interval b) {
  return gasan_interval_flip(compare(gasan_interval_flip(a), gasan_interval_flip(b)));
}

struct gasan_interval gasan_interval_where_slt(struct gasan_interval a, struct gasan_interval b) {
  return as_signed(gasan_interval_where_ult, a, b);
}

struct gasan_interval gasan_interval_where_sle(struct gasan_interval a, struct gasan_interval b) {
  return as_signed(gasan_interval_where_ule, a, b);
}

struct gasan_interval gasan_interval_where_sgt(struct gasan_interval a, struct gasan_interval b) {
  return as_signed(gasan_interval_where_ugt, a, b);
}

struct gasan_interval gasan_interval_where_sge(struct gasan_interval a, struct gasan_interval b) {
  return as_signed(gasan_interval_where_uge, a, b);
}

struct gasan_interval gasan_interval_if(struct gasan_interval a, struct gasan_interval b) {
  return b.empty ? gasan_interval_empty(a.bits) : a;
}
