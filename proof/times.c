/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes the trip counts of counted loops. */
#include "proof/ranges.h"

typedef gasan_wide wide;

struct extremes {
  wide least, greatest;
};

static struct extremes signed_extremes(struct gasan_interval a) {
  struct gasan_signed_ranges ranges = gasan_signed_ranges_of(a);
  struct extremes extremes = {ranges.at[0].first, ranges.at[0].last};
  for (uint32_t i = 1; i < ranges.count; i++) {
    extremes.least = ranges.at[i].first < extremes.least ? ranges.at[i].first : extremes.least;
    extremes.greatest = ranges.at[i].last > extremes.greatest ? ranges.at[i].last : extremes.greatest;
  }
  return extremes;
}

static struct extremes unsigned_extremes(struct gasan_interval a) {
  uint64_t mask = gasan_interval_mask(a.bits);
  return a.span > mask - a.low ? (struct extremes){0, mask} : (struct extremes){a.low, (wide)a.low + a.span};
}

static struct gasan_interval times(wide most) {
  return gasan_interval_between(64, 0, (uint64_t)most);
}

/* Counts the rounds of a loop that counts up and continues while the variable is at most `most`. `limit` is the
 * greatest value of the variable's type. */
static struct gasan_interval count_upwards(struct extremes start, struct extremes step, wide most, wide limit) {
  wide before = start.greatest > most ? start.greatest : most;
  if (step.least < 1 || before + step.greatest > limit)
    return gasan_interval_all(64);
  return times(most > start.least ? (most - start.least) / step.least : 0);
}

static struct extremes negated(struct extremes a) {
  return (struct extremes){-a.greatest, -a.least};
}

enum order { SIGNED, UNSIGNED };

/* Counts the rounds of a loop with a test for order. `beside` is 1 if the loop ends at the value `end`, and 0 if that
 * value belongs to the loop. */
static struct gasan_interval compare(enum order order, bool up, int beside, struct gasan_interval start,
                                     struct gasan_interval step, struct gasan_interval end) {
  if (start.empty || step.empty || end.empty)
    return gasan_interval_empty(64);
  struct extremes a = order == SIGNED ? signed_extremes(start) : unsigned_extremes(start);
  struct extremes c = order == SIGNED ? signed_extremes(end) : unsigned_extremes(end);
  struct extremes b = signed_extremes(step);
  struct extremes type = order == SIGNED ? signed_extremes(gasan_interval_all(start.bits))
                                         : unsigned_extremes(gasan_interval_all(start.bits));
  return up ? count_upwards(a, b, c.greatest - beside, type.greatest)
            : count_upwards(negated(a), negated(b), -c.least - beside, -type.least);
}

#define COMPARE(name, order, up, beside)                                                                               \
  struct gasan_interval gasan_interval_times_##name(struct gasan_interval start, struct gasan_interval step,           \
                                                    struct gasan_interval end) {                                       \
    return compare(order, up, beside, start, step, end);                                                               \
  }
COMPARE(slt, SIGNED, true, 1)
COMPARE(sle, SIGNED, true, 0)
COMPARE(sgt, SIGNED, false, 1)
COMPARE(sge, SIGNED, false, 0)
COMPARE(ult, UNSIGNED, true, 1)
COMPARE(ule, UNSIGNED, true, 0)
COMPARE(ugt, UNSIGNED, false, 1)
COMPARE(uge, UNSIGNED, false, 0)

/* Counts steps of 1 or -1 towards an end that lies ahead. Returns false if that does not apply. */
static bool count_unit_steps(struct extremes start, wide step, struct extremes end, struct gasan_interval *result) {
  if (step == -1) {
    start = negated(start);
    end = negated(end);
  }
  if ((step != 1 && step != -1) || start.greatest >= end.least)
    return false;
  *result = times(end.greatest - 1 - start.least);
  return true;
}

struct gasan_interval gasan_interval_times_ne(struct gasan_interval start, struct gasan_interval step,
                                              struct gasan_interval end) {
  struct gasan_interval result = gasan_interval_all(64);
  if (start.empty || step.empty || end.empty)
    return gasan_interval_empty(64);
  struct extremes by = signed_extremes(step);
  if (by.least != by.greatest || by.least == 0)
    return result;
  if (count_unit_steps(signed_extremes(start), by.least, signed_extremes(end), &result) ||
      count_unit_steps(unsigned_extremes(start), by.least, unsigned_extremes(end), &result) || start.span || end.span)
    return result;
  uint64_t size = (uint64_t)(by.least < 0 ? -by.least : by.least);
  uint64_t way = (by.least < 0 ? start.low - end.low : end.low - start.low) & gasan_interval_mask(start.bits);
  return way && way % size == 0 ? times(way / size - 1) : result;
}
