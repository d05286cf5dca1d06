/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/floats.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "proof/ranges.h"

/* Numbers from low to high, neither of which is NaN. Numbers of 32 bits are kept as doubles, in which their products
 * are exact. */
struct numbers {
  double low, high;
};

static uint64_t infinity_of(uint32_t bits) {
  return bits == 32 ? 0x7f800000u : 0x7ff0000000000000u;
}

static int64_t ordinal_of_bits(uint32_t bits, uint64_t stored) {
  int64_t magnitude = (int64_t)(stored & (gasan_interval_sign(bits) - 1));
  return stored & gasan_interval_sign(bits) ? -magnitude : magnitude;
}

static int64_t ordinal(uint32_t bits, double number) {
  if (bits == 64) {
    uint64_t stored;
    memcpy(&stored, &number, sizeof stored);
    return ordinal_of_bits(64, stored);
  }
  float narrow = (float)number; /* exact */
  uint32_t stored;
  memcpy(&stored, &narrow, sizeof stored);
  return ordinal_of_bits(32, stored);
}

static double number_of(uint32_t bits, int64_t ordinal) {
  uint64_t stored = ordinal < 0 ? gasan_interval_sign(bits) | (uint64_t)-ordinal : (uint64_t)ordinal;
  if (bits == 64) {
    double number;
    memcpy(&number, &stored, sizeof number);
    return number;
  }
  uint32_t narrow_bits = (uint32_t)stored;
  float narrow;
  memcpy(&narrow, &narrow_bits, sizeof narrow);
  return narrow;
}

static double step(uint32_t bits, double number, int64_t by) {
  int64_t to = ordinal(bits, number) + by, most = (int64_t)infinity_of(bits);
  return number_of(bits, to > most ? most : to < -most ? -most : to);
}

/* Returns the greatest number of 32 bits that is no greater. It is no subnormal number: the host's thread may make
 * zeros of them. */
static double below(double number) {
  if (number > FLT_MAX)
    return isinf(number) ? number : FLT_MAX;
  if (number < -FLT_MAX)
    return -(double)INFINITY;
  if (fabs(number) < FLT_MIN)
    return number < 0 ? -FLT_MIN : 0;
  double narrow = (float)number;
  return narrow > number ? step(32, narrow, -1) : narrow;
}

static double above(double number) {
  return -below(-number);
}

/* Returns the nearest number of 32 bits: the even one of two. The least possible one of overflowing numbers if is_low,
 * else the greatest one. */
static double nearest(double number, bool is_low) {
  double down = below(number), up = above(number);
  if (down == up)
    return down;
  if (isinf(down) || isinf(up) || fabs(number) < FLT_MIN)
    return is_low ? down : up;
  double from_down = number - down, from_up = up - number; /* exact: down and up are adjacent */
  if (from_down != from_up)
    return from_down < from_up ? down : up;
  return ordinal(32, down) % 2 ? up : down;
}

/* Returns the greatest ordinal that is no greater, and not that of a subnormal number. */
static gasan_wide normal_below(uint32_t bits, gasan_wide ordinal) {
  const gasan_wide normal = (gasan_wide)1 << (bits == 32 ? 23 : 52);
  return ordinal >= normal || ordinal <= -normal ? ordinal : ordinal < 0 ? -normal : 0;
}

/* Returns false if one of the numbers may be NaN or infinite. Subnormal ends give way to zero and to normal numbers:
 * the GPU and the host's thread may take them for zero. */
static bool take(struct gasan_interval a, struct numbers *numbers) {
  const struct gasan_signed_ranges ranges = gasan_signed_ranges_of(a);
  const gasan_wide infinity = (gasan_wide)infinity_of(a.bits);
  if (ranges.count != 1 || ranges.at[0].first <= -infinity || ranges.at[0].last >= infinity)
    return false;
  *numbers = (struct numbers){number_of(a.bits, (int64_t)normal_below(a.bits, ranges.at[0].first)),
                              number_of(a.bits, (int64_t)-normal_below(a.bits, -ranges.at[0].last))};
  return true;
}

/* Returns the interval of the numbers, which are of that many bits. Zero takes the place of subnormal numbers at the
 * ends, since a GPU may flush them. */
static struct gasan_interval give(uint32_t bits, struct numbers numbers) {
  const double normal = bits == 32 ? FLT_MIN : DBL_MIN;
  if (numbers.low > 0 && numbers.low < normal)
    numbers.low = 0;
  if (numbers.high < 0 && numbers.high > -normal)
    numbers.high = 0;
  uint64_t mask = gasan_interval_mask(bits);
  return gasan_interval_between(bits, (uint64_t)ordinal(bits, numbers.low) & mask,
                                (uint64_t)ordinal(bits, numbers.high) & mask);
}

/* A result in double precision, and whether it is exact for certain. Otherwise it is next to the exact one. */
struct result {
  double number;
  bool is_exact;
};

/* Returns true for numbers with which errors of rounding can be computed: these are no subnormal numbers. */
static bool has_errors(double number) {
  return fabs(number) > 0x1p-500;
}

/* With any rounding, the sum minus the greater operand is exact (Boldo, Graillat, Muller: On the robustness of the 2Sum
 * and Fast2Sum algorithms, 2017). */
static struct result sum(double a, double b) {
  double greater = fabs(a) < fabs(b) ? b : a, less = fabs(a) < fabs(b) ? a : b, number = a + b;
  return (struct result){number, a == 0 || b == 0 || (has_errors(less) && number - greater == less)};
}

static struct result difference(double a, double b) {
  return sum(a, -b);
}

static struct result product(double a, double b) {
  double number = a * b;
  return (struct result){number, a == 0 || b == 0 || (has_errors(number) && fma(a, b, -number) == 0)};
}

static struct result quotient(double a, double b) {
  double number = a / b;
  return (struct result){number, a == 0 || (has_errors(a) && has_errors(number) && fma(number, b, -a) == 0)};
}

static struct result root(double a) {
  double number = sqrt(a);
  return (struct result){number, a == 0 || (has_errors(a) && fma(number, number, -a) == 0)};
}

enum rounding { NEAREST, OUTWARDS };

/* Returns an end of the interval of a result in `bits` bits. */
static double end(uint32_t bits, struct result result, enum rounding rounding, bool is_low) {
  double number = result.number;
  if (!result.is_exact) /* the host's thread may flush small results */
    number = fabs(number) <= DBL_MIN ? (is_low ? -DBL_MIN : DBL_MIN) : step(64, number, is_low ? -1 : 1);
  if (bits == 64)
    return number;
  if (rounding == NEAREST)
    return nearest(number, is_low);
  return is_low ? below(number) : above(number);
}

static struct numbers hull(uint32_t bits, const struct result *results, size_t count, enum rounding rounding) {
  struct numbers all = {end(bits, results[0], rounding, true), end(bits, results[0], rounding, false)};
  for (size_t i = 1; i < count; i++) {
    all.low = fmin(all.low, end(bits, results[i], rounding, true));
    all.high = fmax(all.high, end(bits, results[i], rounding, false));
  }
  return all;
}

static struct gasan_interval of_corners(struct result (*operation)(double a, double b), struct gasan_interval a,
                                        struct gasan_interval b, enum rounding rounding) {
  struct numbers left, right;
  if (a.empty || b.empty)
    return gasan_interval_empty(a.bits);
  if (!take(a, &left) || !take(b, &right) || (operation == quotient && right.low <= 0 && right.high >= 0))
    return gasan_interval_all(a.bits);
  const struct result results[] = {operation(left.low, right.low), operation(left.low, right.high),
                                   operation(left.high, right.low), operation(left.high, right.high)};
  return give(a.bits, hull(a.bits, results, 4, rounding));
}

struct gasan_interval gasan_ordinals_add(struct gasan_interval a, struct gasan_interval b) {
  return of_corners(sum, a, b, NEAREST);
}

struct gasan_interval gasan_ordinals_sub(struct gasan_interval a, struct gasan_interval b) {
  return of_corners(difference, a, b, NEAREST);
}

struct gasan_interval gasan_ordinals_mul(struct gasan_interval a, struct gasan_interval b) {
  return of_corners(product, a, b, NEAREST);
}

struct gasan_interval gasan_ordinals_real_mul(struct gasan_interval a, struct gasan_interval b) {
  return of_corners(product, a, b, OUTWARDS);
}

struct gasan_interval gasan_ordinals_div(struct gasan_interval a, struct gasan_interval b) {
  return of_corners(quotient, a, b, NEAREST);
}

struct gasan_interval gasan_ordinals_of_bits(struct gasan_interval a, uint32_t bits) {
  if (a.empty)
    return gasan_interval_empty(bits);
  if (a.span != 0)
    return gasan_interval_all(bits);
  int64_t at = ordinal_of_bits(bits, a.low);
  const int64_t most = (int64_t)infinity_of(bits);
  if (at > most || at < -most)
    return gasan_interval_all(bits);
  return gasan_interval_between(bits, (uint64_t)at & gasan_interval_mask(bits),
                                (uint64_t)at & gasan_interval_mask(bits));
}

static struct result number_of_integer(gasan_wide integer) {
  double number = (double)integer;
  return (struct result){number, (gasan_wide)number == integer};
}

static struct gasan_interval of_integers(gasan_wide first, gasan_wide last, uint32_t bits) {
  return give(bits, (struct numbers){end(bits, number_of_integer(first), NEAREST, true),
                                     end(bits, number_of_integer(last), NEAREST, false)});
}

struct gasan_interval gasan_ordinals_of_signed(struct gasan_interval a, uint32_t bits) {
  struct gasan_signed_ranges ranges = gasan_signed_ranges_of(a);
  if (!ranges.count)
    return gasan_interval_empty(bits);
  gasan_wide first = ranges.at[0].first, last = ranges.at[0].last;
  for (uint32_t i = 1; i < ranges.count; i++) {
    first = ranges.at[i].first < first ? ranges.at[i].first : first;
    last = ranges.at[i].last > last ? ranges.at[i].last : last;
  }
  return of_integers(first, last, bits);
}

struct gasan_interval gasan_ordinals_of_unsigned(struct gasan_interval a, uint32_t bits) {
  if (a.empty)
    return gasan_interval_empty(bits);
  uint64_t mask = gasan_interval_mask(a.bits);
  bool wraps = a.span > mask - a.low;
  return of_integers(wraps ? 0 : a.low, wraps ? mask : a.low + a.span, bits);
}

static struct gasan_interval to_integers(struct gasan_interval a, uint32_t bits, double least, double beyond) {
  struct numbers numbers;
  if (a.empty)
    return gasan_interval_empty(bits);
  if (!take(a, &numbers))
    return gasan_interval_all(bits);
  double first = trunc(numbers.low), last = trunc(numbers.high);
  if (first < least || last >= beyond)
    return gasan_interval_all(bits);
  uint64_t mask = gasan_interval_mask(bits);
  return gasan_interval_between(bits, (uint64_t)(gasan_wide)first & mask, (uint64_t)(gasan_wide)last & mask);
}

struct gasan_interval gasan_ordinals_to_signed(struct gasan_interval a, uint32_t bits) {
  double beyond = ldexp(1, (int)bits - 1);
  return to_integers(a, bits, -beyond, beyond);
}

struct gasan_interval gasan_ordinals_to_unsigned(struct gasan_interval a, uint32_t bits) {
  return to_integers(a, bits, 0, ldexp(1, (int)bits));
}

static struct gasan_interval of_each(double (*function)(double number), struct gasan_interval a, uint32_t bits) {
  struct numbers numbers;
  if (a.empty)
    return gasan_interval_empty(bits);
  if (!take(a, &numbers))
    return gasan_interval_all(bits);
  return give(bits, (struct numbers){function(numbers.low), function(numbers.high)});
}

struct gasan_interval gasan_ordinals_floor(struct gasan_interval a, uint32_t bits) {
  return of_each(floor, a, bits);
}

struct gasan_interval gasan_ordinals_ceil(struct gasan_interval a, uint32_t bits) {
  return of_each(ceil, a, bits);
}

struct gasan_interval gasan_ordinals_chop(struct gasan_interval a, uint32_t bits) {
  return of_each(trunc, a, bits);
}

static double to_even(double number) {
  double down = floor(number), part = number - down;
  bool goes_up = part > 0.5 || (part == 0.5 && fmod(down, 2) != 0);
  return down + goes_up;
}

struct gasan_interval gasan_ordinals_even(struct gasan_interval a, uint32_t bits) {
  return of_each(to_even, a, bits);
}

struct gasan_interval gasan_ordinals_resize(struct gasan_interval a, uint32_t bits) {
  struct numbers numbers;
  if (a.empty)
    return gasan_interval_empty(bits);
  if (!take(a, &numbers))
    return gasan_interval_all(bits);
  return give(bits, (struct numbers){end(bits, (struct result){numbers.low, true}, NEAREST, true),
                                     end(bits, (struct result){numbers.high, true}, NEAREST, false)});
}

struct gasan_interval gasan_ordinals_sqrt(struct gasan_interval a, uint32_t bits) {
  struct numbers numbers;
  if (a.empty)
    return gasan_interval_empty(bits);
  if (!take(a, &numbers) || numbers.low < 0)
    return gasan_interval_all(bits);
  const struct result results[] = {root(numbers.low), root(numbers.high)};
  return give(bits, hull(bits, results, 2, NEAREST));
}
