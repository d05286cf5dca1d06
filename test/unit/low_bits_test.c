/* Known low bits against brute force: each operation on all pairs of low bits of values with a few bits. */
#include <inttypes.h>
#include <stdio.h>

#include "greatest.h"
#include "proof/low_bits.h"

#define BITS 5u
#define VALUES (1u << BITS)

static int64_t sign_extend(uint64_t value) {
  return (int64_t)(value << (64 - BITS)) >> (64 - BITS);
}

/* Returns whether the operation is defined, and sets *result. */
typedef bool value_operation(uint64_t a, uint64_t b, uint64_t *result);

#define VALUE(name, valid, expression)                                                                                 \
  static bool value_##name(uint64_t a, uint64_t b, uint64_t *result) {                                                 \
    int64_t sa = sign_extend(a), sb = sign_extend(b);                                                                  \
    (void)sa, (void)sb;                                                                                                \
    if (!(valid))                                                                                                      \
      return false;                                                                                                    \
    *result = (uint64_t)(expression) % VALUES;                                                                         \
    return true;                                                                                                       \
  }
VALUE(add, true, a + b)
VALUE(sub, true, a - b)
VALUE(mul, true, a *b)
VALUE(urem, b, a % b)
VALUE(srem, b, sb == -1 ? 0 : sa % sb)
VALUE(and, true, a &b)
VALUE(or, true, a | b)
VALUE(xor, true, a ^ b)
VALUE(shl, b < BITS, a << b)
VALUE(lshr, b < BITS, a >> b)
VALUE(ashr, b < BITS, sa >> b)
VALUE(smin, true, sa < sb ? a : b)
VALUE(umax, true, a > b ? a : b)
VALUE(first, true, a)
VALUE(second, true, b)
VALUE(thrice, true, a + 3 * b)

struct operation {
  const char *name;
  gasan_low_bits_operation *low;
  value_operation *value;
  bool undefined_is_any; /* where the operation is undefined, nothing may be known */
};

static const struct operation operations[] = {
    {"add", gasan_low_bits_add, value_add, false},
    {"sub", gasan_low_bits_sub, value_sub, false},
    {"mul", gasan_low_bits_mul, value_mul, false},
    {"urem", gasan_low_bits_rem, value_urem, true},
    {"srem", gasan_low_bits_rem, value_srem, true},
    {"and", gasan_low_bits_and, value_and, false},
    {"or", gasan_low_bits_or, value_or, false},
    {"xor", gasan_low_bits_xor, value_xor, false},
    {"shl", gasan_low_bits_shl, value_shl, true},
    {"lshr", gasan_low_bits_shr, value_lshr, true},
    {"ashr", gasan_low_bits_shr, value_ashr, true},
    {"smin", gasan_low_bits_either, value_smin, false},
    {"umax", gasan_low_bits_either, value_umax, false},
    {"either, first", gasan_low_bits_either, value_first, false},
    {"either, second", gasan_low_bits_either, value_second, false},
    {"first", gasan_low_bits_first, value_first, false},
    {"recurrence, 0", gasan_low_bits_recurrence, value_first, false},
    {"recurrence, 1", gasan_low_bits_recurrence, value_add, false},
    {"recurrence, 3", gasan_low_bits_recurrence, value_thrice, false},
};

static struct gasan_low_bits low_bits(uint64_t value, uint32_t count) {
  return (struct gasan_low_bits){value & ((1u << count) - 1), count};
}

static bool has(uint64_t value, struct gasan_low_bits low) {
  return low.count <= 64 && ((value ^ low.value) & (((uint64_t)1 << low.count) - 1)) == 0;
}

static bool is_right(const struct operation *operation, struct gasan_low_bits a, struct gasan_low_bits b) {
  struct gasan_low_bits result = operation->low(BITS, a, b);
  if (result.count > BITS || result.value >> result.count)
    return false;
  for (uint64_t x = 0; x < VALUES; x++)
    for (uint64_t y = 0; y < VALUES; y++) {
      uint64_t value;
      if (!has(x, a) || !has(y, b))
        continue;
      if (operation->value(x, y, &value) ? !has(value, result) : operation->undefined_is_any && result.count)
        return false;
    }
  return true;
}

TEST operation_holds(const struct operation *operation) {
  for (uint32_t m = 0; m <= BITS; m++)
    for (uint32_t n = 0; n <= BITS; n++)
      for (uint64_t x = 0; x < 1u << m; x++)
        for (uint64_t y = 0; y < 1u << n; y++)
          if (!is_right(operation, low_bits(x, m), low_bits(y, n))) {
            printf("%s: %" PRIu64 " of %u bits, %" PRIu64 " of %u bits\n", operation->name, x, m, y, n);
            FAIL();
          }
  PASS();
}

/* What must be known, so that an implementation that knows nothing fails. */
TEST knows(void) {
  struct gasan_low_bits none = low_bits(0, 0), four = low_bits(4, BITS), even = low_bits(0, 1), one = low_bits(1, BITS);
  ASSERT_EQ_FMT(2u, gasan_low_bits_mul(BITS, none, four).count, "%u");
  ASSERT_EQ_FMT(3u, gasan_low_bits_mul(BITS, even, four).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_rem(BITS, low_bits(3, 3), low_bits(12, BITS)).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_and(BITS, none, low_bits(28, BITS)).count, "%u");
  ASSERT_EQ_FMT(1u, gasan_low_bits_or(BITS, none, one).count, "%u");
  ASSERT_EQ_FMT(1u, gasan_low_bits_shl(BITS, none, one).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_shr(BITS, low_bits(5, 3), one).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_either(BITS, low_bits(5, 4), one).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_recurrence(BITS, low_bits(3, BITS), four).count, "%u");
  ASSERT_EQ_FMT(2u, gasan_low_bits_dividend(BITS, low_bits(1, BITS), four).count, "%u");
  ASSERT_EQ_FMT(0u, gasan_low_bits_dividend(BITS, low_bits(1, BITS), low_bits(0, 2)).count, "%u");
  PASS();
}

/* The result is the low bits of the dividends whose remainder is a value with low bits a. */
TEST dividends_hold(void) {
  for (uint64_t x = 0; x < VALUES; x++)
    for (uint64_t divisor = 0; divisor < VALUES; divisor++)
      for (uint32_t count = 0; count <= BITS; count++) {
        uint64_t by_unsigned, by_signed;
        bool defined = value_urem(x, divisor, &by_unsigned) && value_srem(x, divisor, &by_signed);
        struct gasan_low_bits b = low_bits(divisor, count);
        struct gasan_low_bits low = gasan_low_bits_dividend(BITS, low_bits(by_unsigned, BITS), b);
        ASSERT(!defined || has(x, low));
        low = gasan_low_bits_dividend(BITS, low_bits(by_signed, BITS), b);
        ASSERT(!defined || has(x, low));
        ASSERT(defined || low.count == 0);
        uint64_t mask = divisor; /* x & mask == c, by the divisor mask + 1 */
        low = gasan_low_bits_dividend(BITS, low_bits(x & mask, BITS), low_bits(mask + 1, BITS));
        ASSERT(has(x, low));
      }
  PASS();
}

TEST meets(void) {
  for (uint32_t m = 0; m <= BITS; m++)
    for (uint32_t n = 0; n <= BITS; n++)
      for (uint64_t x = 0; x < VALUES; x++)
        for (uint64_t y = 0; y < VALUES; y++) {
          struct gasan_low_bits a = low_bits(x, m), b = low_bits(y, n), both;
          bool meet = gasan_low_bits_meet(a, b, &both), exists = false;
          for (uint64_t value = 0; value < VALUES; value++)
            if (has(value, a) && has(value, b)) {
              exists = true;
              ASSERT(has(value, both));
            } else if (meet) {
              ASSERT_FALSE(has(value, both));
            }
          ASSERT_EQ(exists, meet);
        }
  PASS();
}

/* The interval loses no value with the low bits, and keeps no other end. */
TEST narrows(void) {
  for (uint64_t first = 0; first < VALUES; first++)
    for (uint64_t last = 0; last < VALUES; last++)
      for (uint32_t count = 0; count <= BITS; count++)
        for (uint64_t value = 0; value < 1u << count; value++) {
          struct gasan_interval before = gasan_interval_between(BITS, first, last), after = before;
          struct gasan_low_bits low = low_bits(value, count), then = low;
          gasan_low_bits_narrow(&after, &then);
          bool any = false;
          for (uint64_t x = 0; x < VALUES; x++) {
            bool is_value = gasan_interval_holds(before, x) && has(x, low);
            any |= is_value;
            ASSERT(!is_value || (gasan_interval_holds(after, x) && has(x, then)));
          }
          ASSERT_EQ(!any, after.empty);
          ASSERT(after.empty || before.span == VALUES - 1 || (has(after.low, low) && has(after.low + after.span, low)));
          ASSERT(after.empty || after.span || then.count == BITS);
        }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    RUN_TEST1(operation_holds, &operations[i]);
  RUN_TEST(knows);
  RUN_TEST(dividends_hold);
  RUN_TEST(meets);
  RUN_TEST(narrows);
  GREATEST_MAIN_END();
}
