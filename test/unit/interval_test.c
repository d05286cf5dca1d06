/* Intervals modulo 2^bits against brute force: each operation on all pairs of intervals of a few bits, on random ones
 * of more, and on boundary values of 32 and 64 bits. */
#include <inttypes.h>
#include <stdio.h>

#include "greatest.h"
#include "proof/interval.h"

enum exact { EXACT, EXACT_BY_ONE /* where b is a single value */, HOLDS };

struct operation {
  const char *name;
  gasan_interval_binary *interval;
  bool (*value)(uint32_t bits, uint64_t a, uint64_t b,
                uint64_t *result); /* false: not executed, or a guard that is not true */
  enum exact exact;
  bool (*undefined)(uint32_t bits, uint64_t a, uint64_t b); /* operands that may give any value */
};

static uint64_t mask_of(uint32_t bits) {
  return ~(uint64_t)0 >> (64 - bits);
}

static int64_t sign_extend(uint32_t bits, uint64_t value) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

#define VALUE(name, valid, expression)                                                                                 \
  static bool value_##name(uint32_t bits, uint64_t a, uint64_t b, uint64_t *result) {                                  \
    int64_t sa = sign_extend(bits, a), sb = sign_extend(bits, b);                                                      \
    (void)sa, (void)sb;                                                                                                \
    if (!(valid))                                                                                                      \
      return false;                                                                                                    \
    *result = (uint64_t)(expression) & mask_of(bits);                                                                  \
    return true;                                                                                                       \
  }
VALUE(add, true, a + b)
VALUE(sub, true, a - b)
VALUE(mul, true, a *b)
VALUE(udiv, b, a / b)
VALUE(sdiv, b, sb == -1 ? -(uint64_t)sa : (uint64_t)(sa / sb))
VALUE(urem, b, a % b)
VALUE(srem, b, sb == -1 ? 0 : (uint64_t)(sa % sb))
VALUE(and, true, a &b)
VALUE(or, true, a | b)
VALUE(xor, true, a ^ b)
VALUE(shl, b < bits, a << b)
VALUE(lshr, b < bits, a >> b)
VALUE(ashr, b < bits, sa >> b)
VALUE(smin, true, sa < sb ? a : b)
VALUE(smax, true, sa > sb ? a : b)
VALUE(umin, true, a < b ? a : b)
VALUE(umax, true, a > b ? a : b)
VALUE(eq, a == b, a)
VALUE(ne, a != b, a)
VALUE(slt, sa < sb, a)
VALUE(sle, sa <= sb, a)
VALUE(sgt, sa > sb, a)
VALUE(sge, sa >= sb, a)
VALUE(ult, a < b, a)
VALUE(ule, a <= b, a)
VALUE(ugt, a > b, a)
VALUE(uge, a >= b, a)
VALUE(if, true, a)

static bool far_shift(uint32_t bits, uint64_t a, uint64_t b) {
  return b >= bits;
}

static bool by_zero(uint32_t bits, uint64_t a, uint64_t b) {
  return b == 0;
}

static bool by_zero_or_too_great(uint32_t bits, uint64_t a, uint64_t b) {
  return b == 0 || (a == (uint64_t)1 << (bits - 1) && b == mask_of(bits));
}

#define OP(name, exact) {#name, gasan_interval_##name, value_##name, exact, NULL}
#define PARTLY(name, exact, undefined) {#name, gasan_interval_##name, value_##name, exact, undefined}
#define WHERE(name) {"where_" #name, gasan_interval_where_##name, value_##name, EXACT, NULL}
static const struct operation operations[] = {OP(add, EXACT),
                                              OP(sub, EXACT),
                                              OP(mul, HOLDS),
                                              PARTLY(udiv, EXACT_BY_ONE, by_zero),
                                              PARTLY(sdiv, EXACT_BY_ONE, by_zero_or_too_great),
                                              PARTLY(urem, EXACT_BY_ONE, by_zero),
                                              PARTLY(srem, EXACT_BY_ONE, by_zero_or_too_great),
                                              OP(and, HOLDS),
                                              OP(or, HOLDS),
                                              OP(xor, HOLDS),
                                              PARTLY(shl, EXACT_BY_ONE, far_shift),
                                              PARTLY(lshr, EXACT, far_shift),
                                              PARTLY(ashr, EXACT, far_shift),
                                              OP(smin, EXACT),
                                              OP(smax, EXACT),
                                              OP(umin, EXACT),
                                              OP(umax, EXACT),
                                              WHERE(eq),
                                              WHERE(ne),
                                              WHERE(slt),
                                              WHERE(sle),
                                              WHERE(sgt),
                                              WHERE(sge),
                                              WHERE(ult),
                                              WHERE(ule),
                                              WHERE(ugt),
                                              WHERE(uge),
                                              OP(if, EXACT)};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* Intervals of few bits by number: 0 empty, 1 all, then each low with each span but the greatest. */
static uint32_t count_of(uint32_t bits) {
  return 2 + (1u << bits) * ((1u << bits) - 1);
}

static struct gasan_interval nth(uint32_t bits, uint32_t n) {
  if (n == 0)
    return gasan_interval_empty(bits);
  if (n == 1)
    return gasan_interval_all(bits);
  uint64_t low = (n - 2) / ((1u << bits) - 1), span = (n - 2) % ((1u << bits) - 1);
  return gasan_interval_between(bits, low, low + span);
}

/* Returns the number of values of the smallest interval that contains a set, which is not empty. */
static uint32_t smallest(uint32_t bits, uint64_t set) {
  uint32_t size = 1u << bits, best = size;
  for (uint32_t low = 0; low < size; low++) {
    uint32_t span = 0;
    for (uint32_t i = 0; i < size; i++)
      if (set >> ((low + i) % size) & 1)
        span = i;
    if (span + 1 < best)
      best = span + 1;
  }
  return best;
}

static bool well_formed(struct gasan_interval a, uint32_t bits) {
  if (a.bits != bits || a.low > mask_of(bits) || a.span > mask_of(bits))
    return false;
  return a.empty ? !a.low && !a.span : a.span != mask_of(bits) || !a.low;
}

/* Of intervals of 6 bits at most. */
static bool right_result(struct gasan_interval result, uint32_t bits, uint64_t set, bool exact) {
  if (!well_formed(result, bits))
    return false;
  for (uint32_t value = 0; value < 1u << bits; value++)
    if (set >> value & 1 && !gasan_interval_holds(result, value))
      return false;
  if (!exact)
    return true;
  return set ? !result.empty && result.span + 1 == smallest(bits, set) : result.empty;
}

static bool check_pair(const struct operation *operation, struct gasan_interval a, struct gasan_interval b) {
  uint64_t set = 0;
  uint32_t bits = a.bits;
  bool everything = false;
  for (uint64_t x = a.low, i = 0; !a.empty && i <= a.span; i++, x = (x + 1) & mask_of(bits))
    for (uint64_t y = b.low, j = 0; !b.empty && j <= b.span; j++, y = (y + 1) & mask_of(bits)) {
      uint64_t result;
      everything |= operation->undefined && operation->undefined(bits, x, y);
      if (operation->value(bits, x, y, &result))
        set |= (uint64_t)1 << result;
    }
  struct gasan_interval result = operation->interval(a, b);
  if (everything)
    return result.span == mask_of(bits) && !result.empty;
  bool single = !b.empty && !b.span;
  bool exact = operation->exact == EXACT || a.empty || b.empty || (single && !a.span) ||
               (operation->exact == EXACT_BY_ONE && single);
  if (right_result(result, bits, set, exact))
    return true;
  printf("%s of %u bits: [%" PRIu64 " +%" PRIu64 "]%s, [%" PRIu64 " +%" PRIu64 "]%s: [%" PRIu64 " +%" PRIu64 "]%s\n",
         operation->name, bits, a.low, a.span, a.empty ? " empty" : "", b.low, b.span, b.empty ? " empty" : "",
         result.low, result.span, result.empty ? " empty" : "");
  return false;
}

TEST all_pairs(uint32_t bits) {
  for (size_t o = 0; o < OPERATIONS; o++)
    for (uint32_t i = 0; i < count_of(bits); i++)
      for (uint32_t j = 0; j < count_of(bits); j++)
        if (!check_pair(&operations[o], nth(bits, i), nth(bits, j)))
          FAIL();
  PASS();
}

static uint64_t random_state = 1;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

TEST random_pairs(uint32_t bits, uint32_t count) {
  for (size_t o = 0; o < OPERATIONS; o++)
    for (uint32_t n = 0; n < count; n++)
      if (!check_pair(&operations[o], nth(bits, (uint32_t)(next_random() % count_of(bits))),
                      nth(bits, (uint32_t)(next_random() % count_of(bits)))))
        FAIL();
  PASS();
}

TEST unions(uint32_t bits) {
  for (uint32_t i = 0; i < count_of(bits); i++)
    for (uint32_t j = 0; j < count_of(bits); j++) {
      struct gasan_interval a = nth(bits, i), b = nth(bits, j);
      uint64_t set = 0;
      for (uint64_t value = 0; value < 1u << bits; value++)
        set |= (uint64_t)(gasan_interval_holds(a, value) || gasan_interval_holds(b, value)) << value;
      ASSERT(right_result(gasan_interval_unite(a, b), bits, set, true));
    }
  PASS();
}

TEST casts(void) {
  for (uint32_t from = 1; from <= 6; from++)
    for (uint32_t to = 1; to <= 6; to++)
      for (uint32_t i = 0; i < count_of(from); i++) {
        struct gasan_interval a = nth(from, i);
        uint64_t extended = 0, zero = 0;
        for (uint64_t value = 0; value < 1u << from; value++)
          if (gasan_interval_holds(a, value)) {
            extended |= (uint64_t)1 << ((uint64_t)sign_extend(from, value) & mask_of(to));
            zero |= (uint64_t)1 << (value & mask_of(to));
          }
        if (to > from) {
          ASSERT(right_result(gasan_interval_sext(a, to), to, extended, true));
          ASSERT(right_result(gasan_interval_zext(a, to), to, zero, true));
        } else if (to < from) {
          ASSERT(right_result(gasan_interval_trunc(a, to), to, zero, true));
        }
      }
  PASS();
}

/* The summand may differ from round to round. */
static uint64_t recurrence_set(struct gasan_interval start, struct gasan_interval step, uint64_t most) {
  uint64_t mask = mask_of(start.bits), set = 0, now = 0;
  for (uint64_t a = 0; a <= mask; a++)
    now |= (uint64_t)gasan_interval_holds(start, a) << a;
  for (uint64_t i = 0; i <= most; i++) {
    uint64_t next = 0;
    for (uint64_t a = 0; a <= mask; a++)
      for (uint64_t b = 0; now >> a & 1 && b <= mask; b++)
        next |= (uint64_t)gasan_interval_holds(step, b) << ((a + b) & mask);
    set |= now;
    now = next;
  }
  return set;
}

TEST recurrences(uint32_t bits) {
  for (uint32_t i = 1; i < count_of(bits); i++)
    for (uint32_t j = 1; j < count_of(bits); j++)
      for (uint64_t most = 0; most < 8; most++) {
        struct gasan_interval start = nth(bits, i), step = nth(bits, j),
                              count = gasan_interval_between(3, most / 2, most);
        bool exact = !start.span && !step.span && most < 2;
        ASSERT(right_result(gasan_interval_recurrence(start, step, count), bits, recurrence_set(start, step, most),
                            exact));
      }
  struct gasan_interval start = gasan_interval_between(bits, 1, 1), empty = gasan_interval_empty(bits);
  ASSERT(gasan_interval_recurrence(empty, start, start).empty);
  ASSERT_EQ(0u, gasan_interval_recurrence(start, start, empty).span);
  PASS();
}

static const struct loop {
  const char *name;
  gasan_interval_loop *times;
  bool (*value)(uint32_t bits, uint64_t a, uint64_t b, uint64_t *result);
} loops[] = {
#define LOOP(name) {#name, gasan_interval_times_##name, value_##name}
    LOOP(ne), LOOP(slt), LOOP(sle), LOOP(sgt), LOOP(sge), LOOP(ult), LOOP(ule), LOOP(ugt), LOOP(uge)};

/* Returns whether the result contains the number of rounds of a loop that begins with `it`. A loop that does not end
 * needs all values. */
static bool loop_fits(const struct loop *loop, uint32_t bits, uint64_t it, uint64_t step, uint64_t end,
                      struct gasan_interval result) {
  uint64_t unused, times = 0;
  while (loop->value(bits, it = (it + step) & mask_of(bits), end, &unused))
    if (++times > 1u << bits)
      return result.span == ~(uint64_t)0 && !result.empty;
  return gasan_interval_holds(result, times);
}

TEST loop_counts(uint32_t bits) {
  for (size_t l = 0; l < sizeof loops / sizeof *loops; l++)
    for (uint32_t i = 0; i < count_of(bits); i++)
      for (uint32_t j = 0; j < count_of(bits); j++)
        for (uint32_t k = 0; k < count_of(bits); k++) {
          struct gasan_interval start = nth(bits, i), step = nth(bits, j), end = nth(bits, k);
          struct gasan_interval result = loops[l].times(start, step, end);
          ASSERT(well_formed(result, 64));
          ASSERT_EQ(start.empty || step.empty || end.empty, result.empty);
          for (uint64_t a = 0; a <= mask_of(bits); a++)
            for (uint64_t b = 0; b <= mask_of(bits); b++)
              for (uint64_t c = 0; c <= mask_of(bits); c++)
                if (gasan_interval_holds(start, a) && gasan_interval_holds(step, b) && gasan_interval_holds(end, c) &&
                    !loop_fits(&loops[l], bits, a, b, c, result)) {
                  printf("times_%s of %u bits: from %u by %u to %u\n", loops[l].name, bits, (unsigned)a, (unsigned)b,
                         (unsigned)c);
                  FAIL();
                }
        }
  PASS();
}

TEST random_loop_counts(uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    uint32_t bits = 3 + n % 3;
    struct gasan_interval of[3];
    for (int k = 0; k < 3; k++)
      of[k] = nth(bits, 1 + (uint32_t)(next_random() % (count_of(bits) - 1)));
    if (n % 2)
      of[1] = gasan_interval_between(bits, of[1].low, of[1].low + of[1].span % 2);
    for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
      struct gasan_interval result = loops[l].times(of[0], of[1], of[2]);
      for (int tries = 0; tries < 8; tries++) {
        uint64_t values[3];
        for (int k = 0; k < 3; k++)
          values[k] = of[k].low + (tries < 4 ? (tries >> (k % 2) & 1) * of[k].span : next_random() % (of[k].span + 1));
        ASSERT(loop_fits(&loops[l], bits, values[0] & mask_of(bits), values[1] & mask_of(bits),
                         values[2] & mask_of(bits), result));
      }
    }
  }
  PASS();
}

/* 0, 1, the signed extremes and their neighbours, or anything. */
static uint64_t boundary(uint32_t bits) {
  uint64_t r = next_random();
  uint64_t middle[] = {0, (uint64_t)1 << (bits - 1), mask_of(bits), (uint64_t)1 << (bits / 2), r >> 8, r >> (r % 56)};
  return (middle[r % 6] + (r >> 4) % 5 - 2) & mask_of(bits);
}

static struct gasan_interval random_interval(uint32_t bits) {
  switch (next_random() % 8) {
  case 0:
    return gasan_interval_all(bits);
  case 1: {
    uint64_t value = boundary(bits);
    return gasan_interval_between(bits, value, value);
  }
  default:
    return gasan_interval_between(bits, boundary(bits), boundary(bits));
  }
}

/* One of its ends, an extreme that it contains, or any value. */
static uint64_t pick(struct gasan_interval a) {
  uint64_t r = next_random(), value = boundary(a.bits);
  if (r % 4 && gasan_interval_holds(a, value))
    return value;
  uint64_t offset = r >> 3 & 1 ? a.span : r >> 4 & 1 ? 0 : a.span == ~(uint64_t)0 ? r : r % (a.span + 1);
  return (a.low + offset) & mask_of(a.bits);
}

TEST wide_values(uint32_t bits, uint32_t count) {
  for (size_t o = 0; o < OPERATIONS; o++)
    for (uint32_t n = 0; n < count; n++) {
      struct gasan_interval a = random_interval(bits), b = random_interval(bits);
      if (operations[o].undefined == far_shift && n % 4)
        b = gasan_interval_between(bits, n % bits, n % bits + next_random() % 3);
      struct gasan_interval result = operations[o].interval(a, b);
      ASSERT(well_formed(result, bits));
      for (int k = 0; k < 8; k++) {
        uint64_t value;
        if (operations[o].value(bits, pick(a), pick(b), &value) && !gasan_interval_holds(result, value)) {
          printf("%s of %u bits\n", operations[o].name, bits);
          FAIL();
        }
      }
    }
  PASS();
}

TEST wide_recurrences(uint32_t bits, uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    struct gasan_interval start = random_interval(bits), step = random_interval(bits),
                          most = random_interval(n % 2 ? 32 : 64);
    struct gasan_interval result = gasan_interval_recurrence(start, step, most);
    ASSERT(well_formed(result, bits));
    for (int k = 0; k < 8; k++)
      ASSERT(gasan_interval_holds(result, pick(start) + pick(most) * pick(step)));
  }
  PASS();
}

static struct gasan_interval constant(uint32_t bits, uint64_t value) {
  return gasan_interval_between(bits, value, value);
}

/* Computations of a kernel's index; 32-bit sums wrap as the program's do. */
TEST indices(void) {
  struct gasan_interval block = gasan_interval_between(32, 0, 65535), thread = gasan_interval_between(32, 0, 255);
  struct gasan_interval i = gasan_interval_add(gasan_interval_mul(block, constant(32, 256)), thread);
  ASSERT_EQ(0u, i.low);
  ASSERT_EQ((1u << 24) - 1, i.span);
  struct gasan_interval guarded = gasan_interval_where_slt(i, constant(32, 1000));
  struct gasan_interval bytes = gasan_interval_mul(gasan_interval_sext(guarded, 64), constant(64, 4));
  ASSERT_EQ(0u, bytes.low);
  ASSERT_EQ(3996u, bytes.span);
  /* n - 1 - i, below 0 without a guard */
  struct gasan_interval back =
      gasan_interval_sext(gasan_interval_sub(constant(32, 999), gasan_interval_between(32, 0, 1023)), 64);
  ASSERT_EQ((uint64_t)-24, back.low);
  ASSERT_EQ(1023u, back.span);
  /* unsigned values beyond 2^31 */
  struct gasan_interval far = gasan_interval_zext(gasan_interval_between(32, 0x7ffffff0u, 0x80000010u), 64);
  ASSERT_EQ(0x7ffffff0u, far.low);
  ASSERT_EQ(32u, far.span);
  PASS();
}

static struct gasan_interval span(uint32_t bits, uint64_t first, uint64_t last) {
  return gasan_interval_between(bits, first, last);
}

/* Loops of real programs. */
TEST loops_of_programs(void) {
  struct gasan_interval one = constant(32, 1), minus_two = constant(32, (uint64_t)-2);
  /* for (i = 0; i < n; i++), entered if 0 < n */
  ASSERT_EQ(999u, gasan_interval_times_slt(constant(32, 0), one, constant(32, 1000)).span);
  ASSERT_EQ(999u, gasan_interval_times_ne(constant(32, 0), one, constant(32, 1000)).span);
  /* for (i = thread; i < n; i += blocks * threads) */
  ASSERT_EQ(99u, gasan_interval_times_slt(span(32, 0, 9), constant(32, 10), constant(32, 1000)).span);
  /* for (i = n; i >= 0; i -= 2) */
  ASSERT_EQ(500u, gasan_interval_times_sge(constant(32, 1001), minus_two, constant(32, 0)).span);
  /* it never ends: unsigned, and with a step that passes the end */
  ASSERT_EQ(~(uint64_t)0, gasan_interval_times_uge(constant(32, 1001), minus_two, constant(32, 0)).span);
  ASSERT_EQ(~(uint64_t)0, gasan_interval_times_ne(constant(32, 1), constant(32, 2), constant(32, 1000)).span);
  /* the step may pass the greatest value */
  ASSERT_EQ(~(uint64_t)0, gasan_interval_times_slt(constant(32, 0), constant(32, 2), constant(32, 0x7fffffff)).span);
  ASSERT_EQ(0x7ffffffeu, gasan_interval_times_slt(constant(32, 0), one, constant(32, 0x7fffffff)).span);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (uint32_t bits = 1; bits <= 4; bits++)
    RUN_TESTp(all_pairs, bits);
  RUN_TESTp(random_pairs, 5, 10000);
  RUN_TESTp(random_pairs, 6, 3000);
  for (uint32_t bits = 1; bits <= 4; bits++)
    RUN_TESTp(unions, bits);
  RUN_TEST(casts);
  for (uint32_t bits = 1; bits <= 3; bits++)
    RUN_TESTp(recurrences, bits);
  RUN_TESTp(wide_values, 32, 20000);
  RUN_TESTp(wide_values, 63, 20000);
  RUN_TESTp(wide_values, 64, 20000);
  RUN_TESTp(wide_recurrences, 32, 100000);
  RUN_TESTp(wide_recurrences, 64, 100000);
  for (uint32_t bits = 1; bits <= 2; bits++)
    RUN_TESTp(loop_counts, bits);
  RUN_TESTp(random_loop_counts, 20000);
  RUN_TEST(indices);
  RUN_TEST(loops_of_programs);
  GREATEST_MAIN_END();
}
