/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/interval.h"

#include "base/check.h"
#include "proof/ranges.h"

typedef gasan_wide wide;
typedef unsigned __int128 unsigned_wide;

struct gasan_interval gasan_interval_empty(uint32_t bits) {
  return (struct gasan_interval){.bits = bits, .empty = true};
}

struct gasan_interval gasan_interval_all(uint32_t bits) {
  return (struct gasan_interval){.span = gasan_interval_mask(bits), .bits = bits};
}

static struct gasan_interval make(uint32_t bits, uint64_t low, uint64_t span) {
  uint64_t mask = gasan_interval_mask(bits);
  return span >= mask ? gasan_interval_all(bits)
                      : (struct gasan_interval){.low = low & mask, .span = span, .bits = bits};
}

struct gasan_interval gasan_interval_between(uint32_t bits, uint64_t first, uint64_t last) {
  return make(bits, first, (last - first) & gasan_interval_mask(bits));
}

bool gasan_interval_holds(struct gasan_interval a, uint64_t value) {
  return !a.empty && ((value - a.low) & gasan_interval_mask(a.bits)) <= a.span;
}

static bool either_empty(struct gasan_interval a, struct gasan_interval b) {
  return a.empty || b.empty;
}

/* Returns the interval of all integers from low to high, modulo 2^bits. */
static struct gasan_interval wrap(uint32_t bits, unsigned_wide low, unsigned_wide high) {
  unsigned_wide span = high - low;
  return span >= gasan_interval_mask(bits) ? gasan_interval_all(bits) : make(bits, (uint64_t)low, (uint64_t)span);
}

struct gasan_interval gasan_interval_add(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  return a.span > gasan_interval_mask(a.bits) - b.span ? gasan_interval_all(a.bits)
                                                       : make(a.bits, a.low + b.low, a.span + b.span);
}

struct gasan_interval gasan_interval_sub(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  return a.span > gasan_interval_mask(a.bits) - b.span ? gasan_interval_all(a.bits)
                                                       : make(a.bits, a.low - b.low - b.span, a.span + b.span);
}

static wide least(wide a, wide b) {
  return a < b ? a : b;
}

static wide greatest(wide a, wide b) {
  return a > b ? a : b;
}

/* Returns the range of an operation that is monotonic in each operand. a to d are the results at the operands' ends. */
static struct gasan_interval corners(uint32_t bits, wide a, wide b, wide c, wide d) {
  return wrap(bits, (unsigned_wide)least(least(a, b), least(c, d)),
              (unsigned_wide)greatest(greatest(a, b), greatest(c, d)));
}

static struct gasan_interval mul_signed(struct gasan_interval a, struct gasan_interval b) {
  struct gasan_signed_ranges of_a = gasan_signed_ranges_of(a), of_b = gasan_signed_ranges_of(b);
  struct gasan_proof_ranges products;
  products.count = 0;
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++) {
      struct gasan_signed_range x = of_a.at[i], y = of_b.at[j];
      gasan_proof_ranges_take(&products,
                              corners(a.bits, x.first * y.first, x.first * y.last, x.last * y.first, x.last * y.last));
    }
  return gasan_proof_ranges_hull(&products, a.bits);
}

static struct gasan_interval mul_unsigned(struct gasan_interval a, struct gasan_interval b) {
  struct gasan_proof_ranges of_a, of_b, products;
  of_a.count = of_b.count = products.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  gasan_proof_ranges_take(&of_b, b);
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++)
      gasan_proof_ranges_take(&products, wrap(a.bits, (unsigned_wide)of_a.at[i].first * of_b.at[j].first,
                                              (unsigned_wide)of_a.at[i].last * of_b.at[j].last));
  return gasan_proof_ranges_hull(&products, a.bits);
}

static void swap(struct gasan_interval *a, struct gasan_interval *b) {
  struct gasan_interval kept = *a;
  *a = *b;
  *b = kept;
}

/* Signed and unsigned products are equal modulo 2^bits, so both results are sound, and the smaller one is more precise.
 * A product with a single value consists of steps of that size. If these cover less than half of all numbers, as is
 * common, the search for the smaller result is skipped. */
struct gasan_interval gasan_interval_mul(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  if (!a.span)
    swap(&a, &b);
  uint64_t steps;
  if (!b.span && !__builtin_mul_overflow(a.span, b.low, &steps) && steps <= gasan_interval_mask(a.bits) / 2)
    return make(a.bits, a.low * b.low, steps);
  struct gasan_interval as_signed = mul_signed(a, b), as_unsigned = mul_unsigned(a, b);
  return as_signed.span < as_unsigned.span ? as_signed : as_unsigned;
}

typedef void range_operation(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_proof_range a,
                             struct gasan_proof_range b);

/* Applies the operation to each pair of unsigned ranges. */
static struct gasan_interval each_pair(range_operation *operation, struct gasan_interval a, struct gasan_interval b) {
  struct gasan_proof_ranges of_a, of_b, results;
  of_a.count = of_b.count = results.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  gasan_proof_ranges_take(&of_b, b);
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++)
      operation(&results, a.bits, of_a.at[i], of_b.at[j]);
  return gasan_proof_ranges_hull(&results, a.bits);
}

static struct gasan_interval each_signed_pair(range_operation *operation, struct gasan_interval a,
                                              struct gasan_interval b) {
  return gasan_interval_flip(each_pair(operation, gasan_interval_flip(a), gasan_interval_flip(b)));
}

/* Returns whether a division may be undefined: by 0, or of the least value by -1. A GPU's thread continues with some
 * value. */
static bool is_undefined(struct gasan_interval a, struct gasan_interval b, bool with_sign) {
  return !either_empty(a, b) &&
         (gasan_interval_holds(b, 0) || (with_sign && gasan_interval_holds(a, gasan_interval_sign(a.bits)) &&
                                         gasan_interval_holds(b, gasan_interval_mask(b.bits))));
}

static void divide(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_proof_range a,
                   struct gasan_proof_range b) {
  gasan_proof_ranges_add(results, a.first / b.last, a.last / b.first);
}

struct gasan_interval gasan_interval_udiv(struct gasan_interval a, struct gasan_interval b) {
  return is_undefined(a, b, false) ? gasan_interval_all(a.bits) : each_pair(divide, a, b);
}

static void divide_signed(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_signed_range a, wide first,
                          wide last) {
  if (first <= last)
    gasan_proof_ranges_take(results, corners(bits, a.first / first, a.first / last, a.last / first, a.last / last));
}

struct gasan_interval gasan_interval_sdiv(struct gasan_interval a, struct gasan_interval b) {
  if (is_undefined(a, b, true))
    return gasan_interval_all(a.bits);
  struct gasan_signed_ranges of_a = gasan_signed_ranges_of(a), of_b = gasan_signed_ranges_of(b);
  struct gasan_proof_ranges results;
  results.count = 0;
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++) {
      divide_signed(&results, a.bits, of_a.at[i], of_b.at[j].first, least(of_b.at[j].last, -1));
      divide_signed(&results, a.bits, of_a.at[i], greatest(of_b.at[j].first, 1), of_b.at[j].last);
    }
  return gasan_proof_ranges_hull(&results, a.bits);
}

static void take_remainder(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_proof_range a,
                           struct gasan_proof_range b) {
  GASAN_CHECK(b.first); /* the callers have excluded 0 with is_undefined */
  if (a.last < b.first) {
    gasan_proof_ranges_add(results, a.first, a.last);
  } else if (b.first != b.last || a.last - a.first >= b.last - 1) {
    gasan_proof_ranges_add(results, 0, a.last < b.last - 1 ? a.last : b.last - 1);
  } else if (a.first % b.last <= a.last % b.last) {
    gasan_proof_ranges_add(results, a.first % b.last, a.last % b.last);
  } else {
    gasan_proof_ranges_add(results, a.first % b.last, b.last - 1);
    gasan_proof_ranges_add(results, 0, a.last % b.last);
  }
}

struct gasan_interval gasan_interval_urem(struct gasan_interval a, struct gasan_interval b) {
  return is_undefined(a, b, false) ? gasan_interval_all(a.bits) : each_pair(take_remainder, a, b);
}

/* Sets *magnitude to the magnitudes of the range's negative values, or of its other values. Returns false if there are
 * none. */
static bool magnitudes(struct gasan_signed_range range, bool negative, struct gasan_proof_range *magnitude) {
  if (negative)
    *magnitude = (struct gasan_proof_range){(uint64_t)-least(range.last, -1), (uint64_t)-range.first};
  else
    *magnitude = (struct gasan_proof_range){(uint64_t)greatest(range.first, 0), (uint64_t)range.last};
  return negative ? range.first < 0 : range.last >= 0;
}

static void add_remainders(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_signed_range a,
                           struct gasan_proof_range divisor) {
  struct gasan_proof_range dividend;
  if (magnitudes(a, false, &dividend))
    take_remainder(results, bits, dividend, divisor);
  if (!magnitudes(a, true, &dividend))
    return;
  struct gasan_proof_ranges negated;
  negated.count = 0;
  take_remainder(&negated, bits, dividend, divisor);
  for (uint32_t i = 0; i < negated.count; i++)
    gasan_proof_ranges_take(results, gasan_interval_between(bits, -negated.at[i].last, -negated.at[i].first));
}

/* The remainder has the dividend's sign. */
struct gasan_interval gasan_interval_srem(struct gasan_interval a, struct gasan_interval b) {
  if (is_undefined(a, b, true))
    return gasan_interval_all(a.bits);
  struct gasan_signed_ranges of_a = gasan_signed_ranges_of(a), of_b = gasan_signed_ranges_of(b);
  struct gasan_proof_ranges results;
  results.count = 0;
  for (uint32_t i = 0; i < of_a.count; i++)
    for (uint32_t j = 0; j < of_b.count; j++)
      for (int negative = 0; negative < 2; negative++) {
        struct gasan_proof_range divisor;
        if (magnitudes(of_b.at[j], negative, &divisor))
          add_remainders(&results, a.bits, of_a.at[i], divisor);
      }
  return gasan_proof_ranges_hull(&results, a.bits);
}

static void shift_left_once(struct gasan_proof_ranges *results, struct gasan_interval a, uint32_t amount) {
  uint64_t mask = gasan_interval_mask(a.bits);
  if (a.span >= mask >> amount) /* all multiples */
    gasan_proof_ranges_add(results, 0, mask >> amount << amount);
  else
    gasan_proof_ranges_take(results, make(a.bits, a.low << amount, a.span << amount));
}

struct gasan_interval gasan_interval_shl(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  if (b.low >= a.bits || b.span >= a.bits - b.low)
    return gasan_interval_all(a.bits);
  struct gasan_proof_ranges results;
  results.count = 0;
  for (uint64_t amount = b.low; amount <= b.low + b.span; amount++)
    shift_left_once(&results, a, (uint32_t)amount);
  return gasan_proof_ranges_hull(&results, a.bits);
}

struct gasan_interval gasan_interval_lshr(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  if (b.low >= a.bits || b.span >= a.bits - b.low)
    return gasan_interval_all(a.bits);
  struct gasan_proof_ranges of_a, results;
  of_a.count = results.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  for (uint64_t amount = b.low; amount <= b.low + b.span; amount++)
    for (uint32_t i = 0; i < of_a.count; i++)
      gasan_proof_ranges_add(&results, of_a.at[i].first >> amount, of_a.at[i].last >> amount);
  return gasan_proof_ranges_hull(&results, a.bits);
}

struct gasan_interval gasan_interval_ashr(struct gasan_interval a, struct gasan_interval b) {
  if (either_empty(a, b))
    return gasan_interval_empty(a.bits);
  if (b.low >= a.bits || b.span >= a.bits - b.low)
    return gasan_interval_all(a.bits);
  struct gasan_signed_ranges of_a = gasan_signed_ranges_of(a);
  struct gasan_proof_ranges results;
  results.count = 0;
  for (uint64_t amount = b.low; amount <= b.low + b.span; amount++)
    for (uint32_t i = 0; i < of_a.count; i++)
      gasan_proof_ranges_take(&results, wrap(a.bits, (unsigned_wide)(of_a.at[i].first >> amount),
                                             (unsigned_wide)(of_a.at[i].last >> amount)));
  return gasan_proof_ranges_hull(&results, a.bits);
}

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t greatest_of(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void take_minimum(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_proof_range a,
                         struct gasan_proof_range b) {
  gasan_proof_ranges_add(results, least_of(a.first, b.first), least_of(a.last, b.last));
}

static void take_maximum(struct gasan_proof_ranges *results, uint32_t bits, struct gasan_proof_range a,
                         struct gasan_proof_range b) {
  gasan_proof_ranges_add(results, greatest_of(a.first, b.first), greatest_of(a.last, b.last));
}

struct gasan_interval gasan_interval_umin(struct gasan_interval a, struct gasan_interval b) {
  return each_pair(take_minimum, a, b);
}

struct gasan_interval gasan_interval_umax(struct gasan_interval a, struct gasan_interval b) {
  return each_pair(take_maximum, a, b);
}

struct gasan_interval gasan_interval_smin(struct gasan_interval a, struct gasan_interval b) {
  return each_signed_pair(take_minimum, a, b);
}

struct gasan_interval gasan_interval_smax(struct gasan_interval a, struct gasan_interval b) {
  return each_signed_pair(take_maximum, a, b);
}

struct gasan_interval gasan_interval_unite(struct gasan_interval a, struct gasan_interval b) {
  struct gasan_proof_ranges both;
  both.count = 0;
  gasan_proof_ranges_take(&both, a);
  gasan_proof_ranges_take(&both, b);
  return gasan_proof_ranges_hull(&both, a.bits);
}

struct gasan_interval gasan_interval_sext(struct gasan_interval a, uint32_t bits) {
  struct gasan_signed_ranges of_a = gasan_signed_ranges_of(a);
  struct gasan_proof_ranges results;
  results.count = 0;
  for (uint32_t i = 0; i < of_a.count; i++)
    gasan_proof_ranges_take(&results, wrap(bits, (unsigned_wide)of_a.at[i].first, (unsigned_wide)of_a.at[i].last));
  return gasan_proof_ranges_hull(&results, bits);
}

struct gasan_interval gasan_interval_zext(struct gasan_interval a, uint32_t bits) {
  struct gasan_proof_ranges of_a;
  of_a.count = 0;
  gasan_proof_ranges_take(&of_a, a);
  return gasan_proof_ranges_hull(&of_a, bits);
}

struct gasan_interval gasan_interval_trunc(struct gasan_interval a, uint32_t bits) {
  return a.empty ? gasan_interval_empty(bits) : make(bits, a.low, a.span);
}

struct gasan_interval gasan_interval_recurrence(struct gasan_interval start, struct gasan_interval step,
                                                struct gasan_interval count) {
  if (start.empty || step.empty || count.empty)
    return start; /* the back edge is never taken */
  struct gasan_proof_ranges of_count, sums;
  of_count.count = sums.count = 0;
  gasan_proof_ranges_take(&of_count, count);
  wide most = 0;
  for (uint32_t i = 0; i < of_count.count; i++)
    most = greatest(most, of_count.at[i].last);
  struct gasan_signed_ranges of_step = gasan_signed_ranges_of(step);
  for (uint32_t i = 0; i < of_step.count; i++)
    gasan_proof_ranges_take(&sums, corners(start.bits, 0, 0, of_step.at[i].first * most, of_step.at[i].last * most));
  return gasan_interval_add(start, gasan_proof_ranges_hull(&sums, start.bits));
}
