/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Intervals of floating-point numbers against what a GPU computes for numbers in them, whatever the rounding mode of
 * the thread that computes the intervals is, and whether it flushes subnormal numbers or not. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "greatest.h"
#include "proof/floats.h"

enum { ROUNDS = 60000, INSIDE = 6 };

/* Numbers are kept as they are stored, since the thread may flush them. */
static uint64_t bits_of(uint32_t bits, double number) {
  uint64_t stored = 0;
  float narrow = (float)number;
  if (bits == 32)
    memcpy(&stored, &narrow, sizeof narrow);
  else
    memcpy(&stored, &number, sizeof number);
  return stored;
}

static double number_of(uint32_t bits, uint64_t stored) {
  double number;
  float narrow;
  memcpy(&number, &stored, sizeof number);
  memcpy(&narrow, &stored, sizeof narrow);
  return bits == 32 ? narrow : number;
}

static uint64_t sign_of(uint32_t bits) {
  return (uint64_t)1 << (bits - 1);
}

static uint64_t mask_of(uint32_t bits) {
  return ~(uint64_t)0 >> (64 - bits);
}

static int64_t ordinal(uint32_t bits, uint64_t stored) {
  int64_t magnitude = (int64_t)(stored & (sign_of(bits) - 1));
  return stored & sign_of(bits) ? -magnitude : magnitude;
}

static uint64_t stored_of(uint32_t bits, int64_t ordinal) {
  return ordinal < 0 ? sign_of(bits) | (uint64_t)-ordinal : (uint64_t)ordinal;
}

static uint64_t random_bits(void) {
  return (uint64_t)rand() << 62 ^ (uint64_t)rand() << 31 ^ (uint64_t)rand();
}

/* Few of these numbers are far from those that index arithmetic has. */
static uint64_t random_number(uint32_t bits) {
  switch (rand() % 8) {
  case 0:
    return random_bits() & mask_of(bits); /* NaN, infinities, subnormal numbers */
  case 1:
    return bits_of(bits, (rand() % 2001 - 1000) * 0.25);
  case 2:
    return bits_of(bits, ldexp(1 + rand() % 3, rand() % 300 - 150));
  case 3:
    return random_bits() & (bits == 32 ? 0x807fffffu : 0x800fffffffffffffu); /* a subnormal number */
  default:
    return bits_of(bits, (rand() - RAND_MAX / 2) / 65536.0 / (1 + rand() % 5));
  }
}

struct set {
  uint32_t bits;
  struct gasan_interval interval;
  uint64_t inside[INSIDE];
};

static bool is_nan(uint32_t bits, uint64_t stored) {
  return (stored & (sign_of(bits) - 1)) > bits_of(bits, INFINITY);
}

/* Makes an interval with its ends and some numbers between them. One with NaN is all values. */
static struct set random_set(uint32_t bits) {
  struct set set = {.bits = bits};
  uint64_t first = random_number(bits), last = rand() % 3 ? random_number(bits) : first;
  if (rand() % 4 == 0)
    last = stored_of(bits, ordinal(bits, first) + rand() % 100);
  if (ordinal(bits, first) > ordinal(bits, last)) {
    uint64_t other = first;
    first = last;
    last = other;
  }
  bool any = is_nan(bits, first) || is_nan(bits, last);
  set.interval = any ? gasan_interval_all(bits)
                     : gasan_interval_between(bits, (uint64_t)ordinal(bits, first) & mask_of(bits),
                                              (uint64_t)ordinal(bits, last) & mask_of(bits));
  set.inside[0] = first;
  set.inside[1] = last;
  uint64_t span = (uint64_t)ordinal(bits, last) - (uint64_t)ordinal(bits, first);
  for (int i = 2; i < INSIDE; i++)
    set.inside[i] =
        any ? random_bits() & mask_of(bits)
            : stored_of(bits, (int64_t)((uint64_t)ordinal(bits, first) + (span ? random_bits() % span : 0)));
  return set;
}

static bool holds(struct gasan_interval interval, uint32_t bits, uint64_t stored) {
  if (is_nan(bits, stored))
    return interval.span == mask_of(bits) && !interval.empty;
  return gasan_interval_holds(interval, (uint64_t)ordinal(bits, stored) & mask_of(bits));
}

/* Subnormal numbers are zero, with their sign. */
static uint64_t flush(uint32_t bits, uint64_t stored) {
  uint64_t magnitude = stored & (sign_of(bits) - 1);
  return magnitude < (bits == 32 ? 0x800000u : 0x10000000000000u) ? stored & sign_of(bits) : stored;
}

enum operation { ADD, SUB, MUL, DIV, OPERATIONS };

/* What the GPU computes. The test's own thread rounds to nearest and flushes nothing here. */
static uint64_t compute(enum operation operation, uint32_t bits, uint64_t a, uint64_t b) {
  const double x = number_of(bits, a), y = number_of(bits, b);
  const float narrow_x = (float)x, narrow_y = (float)y;
  switch (operation) {
  case ADD:
    return bits_of(bits, bits == 32 ? (double)(narrow_x + narrow_y) : x + y);
  case SUB:
    return bits_of(bits, bits == 32 ? (double)(narrow_x - narrow_y) : x - y);
  case MUL:
    return bits_of(bits, bits == 32 ? (double)(narrow_x * narrow_y) : x * y);
  default:
    return bits_of(bits, bits == 32 ? (double)(narrow_x / narrow_y) : x / y);
  }
}

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static const unsigned kFlush = 0x8040; /* MXCSR: results and operands */

static void set_mode(int round) {
  fesetround(modes[round % 4]);
  _mm_setcsr((_mm_getcsr() & ~kFlush) | (round % 3 == 1 ? kFlush : 0));
}

static void reset_mode(void) {
  fesetround(FE_TONEAREST);
  _mm_setcsr(_mm_getcsr() & ~kFlush);
}

TEST binary_operations(void) {
  static gasan_interval_binary *const intervals[OPERATIONS] = {gasan_ordinals_add, gasan_ordinals_sub,
                                                               gasan_ordinals_mul, gasan_ordinals_div};
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t bits = round % 2 ? 32 : 64;
    const enum operation operation = (enum operation)(rand() % OPERATIONS);
    const struct set a = random_set(bits), b = random_set(bits);
    set_mode(round);
    const struct gasan_interval result = intervals[operation](a.interval, b.interval);
    const struct gasan_interval real = gasan_ordinals_real_mul(a.interval, b.interval);
    reset_mode();
    for (int i = 0; i < INSIDE; i++)
      for (int j = 0; j < INSIDE; j++) {
        const uint64_t exact = compute(operation, bits, a.inside[i], b.inside[j]);
        ASSERT(holds(result, bits, exact));
        if (bits == 32) {
          const uint64_t flushed = flush(32, compute(operation, 32, flush(32, a.inside[i]), flush(32, b.inside[j])));
          ASSERT(holds(result, bits, flushed));
        }
        if (operation == MUL)
          ASSERT(holds(real, bits, exact));
      }
  }
  PASS();
}

/* A product and the sum with a third number, rounded once or twice. */
TEST fused(void) {
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t bits = round % 2 ? 32 : 64;
    const struct set a = random_set(bits), b = random_set(bits), c = random_set(bits);
    set_mode(round);
    const struct gasan_interval result =
        gasan_ordinals_add(gasan_ordinals_real_mul(a.interval, b.interval), c.interval);
    reset_mode();
    for (int i = 0; i < INSIDE; i++)
      for (int j = 0; j < INSIDE; j++) {
        const double x = number_of(bits, a.inside[i]), y = number_of(bits, b.inside[j]);
        const double z = number_of(bits, c.inside[(i + j) % INSIDE]);
        const double once = bits == 32 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
        const uint64_t product = compute(MUL, bits, a.inside[i], b.inside[j]);
        ASSERT(holds(result, bits, bits_of(bits, once)));
        ASSERT(holds(result, bits, compute(ADD, bits, product, c.inside[(i + j) % INSIDE])));
      }
  }
  PASS();
}

static double to_even(double number) {
  return nearbyint(number); /* the thread rounds to nearest */
}

TEST unary_operations(void) {
  static const struct {
    gasan_interval_cast *interval;
    double (*number)(double number);
  } operations[] = {{gasan_ordinals_floor, floor},
                    {gasan_ordinals_ceil, ceil},
                    {gasan_ordinals_chop, trunc},
                    {gasan_ordinals_even, to_even},
                    {gasan_ordinals_sqrt, sqrt}};
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t bits = round % 2 ? 32 : 64;
    const size_t which = (size_t)rand() % (sizeof operations / sizeof *operations);
    const struct set a = random_set(bits);
    set_mode(round);
    const struct gasan_interval result = operations[which].interval(a.interval, bits);
    const struct gasan_interval resized = gasan_ordinals_resize(a.interval, 96 - bits);
    reset_mode();
    for (int i = 0; i < INSIDE; i++) {
      const double number = number_of(bits, a.inside[i]);
      ASSERT(holds(result, bits, bits_of(bits, operations[which].number(number))));
      ASSERT(holds(resized, 96 - bits, bits_of(96 - bits, number)));
    }
  }
  PASS();
}

TEST integers(void) {
  static const uint32_t widths[] = {8, 16, 32, 64};
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t bits = round % 2 ? 32 : 64, width = widths[rand() % 4];
    const struct set a = random_set(bits);
    const uint64_t low = random_bits() & mask_of(width),
                   span = (rand() % 2 ? random_bits() : (uint64_t)(rand() % 300)) & mask_of(width);
    const struct gasan_interval integer = gasan_interval_between(width, low, (low + span) & mask_of(width));
    set_mode(round);
    const struct gasan_interval from_signed = gasan_ordinals_of_signed(integer, bits),
                                from_unsigned = gasan_ordinals_of_unsigned(integer, bits),
                                to_signed = gasan_ordinals_to_signed(a.interval, width),
                                to_unsigned = gasan_ordinals_to_unsigned(a.interval, width);
    reset_mode();
    for (int i = 0; i < INSIDE; i++) {
      const uint64_t value = (low + (i == 0 ? 0 : i == 1 ? span : span ? random_bits() % span : 0)) & mask_of(width);
      const int64_t extended = (int64_t)(value << (64 - width)) >> (64 - width);
      ASSERT(holds(from_signed, bits, bits_of(bits, bits == 32 ? (double)(float)extended : (double)extended)));
      ASSERT(holds(from_unsigned, bits, bits_of(bits, bits == 32 ? (double)(float)value : (double)value)));
      const double number = number_of(bits, a.inside[i]);
      const double most = ldexp(1, (int)width - 1);
      if (number > -most - 1 && trunc(number) >= -most && number < most)
        ASSERT(gasan_interval_holds(to_signed, (uint64_t)(int64_t)number & mask_of(width)));
      else
        ASSERT(to_signed.span == mask_of(width));
      if (number > -1 && number < 2 * most)
        ASSERT(gasan_interval_holds(to_unsigned, (uint64_t)number));
      else
        ASSERT(to_unsigned.span == mask_of(width));
    }
  }
  PASS();
}

static struct gasan_interval exactly(float number) {
  return gasan_ordinals_of_bits(gasan_interval_between(32, bits_of(32, number), bits_of(32, number)), 32);
}

/* Bounds that must not lose anything: an image's coordinate, scaled, with exact and inexact factors. */
TEST is_precise(void) {
  const struct gasan_interval column = gasan_interval_between(32, 0, 599);
  const struct gasan_interval number = gasan_ordinals_of_signed(column, 32);
  const struct gasan_interval next = gasan_ordinals_add(number, exactly(1));
  struct gasan_interval doubled =
      gasan_ordinals_to_signed(gasan_ordinals_ceil(gasan_ordinals_mul(next, exactly(2)), 32), 32);
  ASSERT_EQ(2u, doubled.low);
  ASSERT_EQ(1198u, doubled.span);
  const struct gasan_interval third = gasan_ordinals_div(exactly(1), exactly(3));
  const struct gasan_interval scaled = gasan_ordinals_real_mul(gasan_ordinals_add(number, exactly(0.5f)), third);
  const struct gasan_interval source = gasan_ordinals_to_signed(
      gasan_ordinals_floor(gasan_interval_smax(gasan_ordinals_sub(scaled, exactly(0.5f)), exactly(0)), 32), 32);
  ASSERT_EQ(0u, source.low);
  ASSERT_EQ(199u, source.span);
  /* of an unknown number, clamped */
  const struct gasan_interval clamped =
      gasan_interval_smin(gasan_interval_smax(gasan_interval_all(32), exactly(0)), exactly(255));
  ASSERT_EQ(255u, gasan_ordinals_to_signed(clamped, 32).span);
  ASSERT(gasan_ordinals_div(exactly(1), gasan_ordinals_of_signed(gasan_interval_between(32, 0, 1), 32)).span ==
         UINT32_MAX);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  srand(1);
  RUN_TEST(binary_operations);
  RUN_TEST(fused);
  RUN_TEST(unary_operations);
  RUN_TEST(integers);
  RUN_TEST(is_precise);
  GREATEST_MAIN_END();
}
