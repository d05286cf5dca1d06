/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/low_bits.h"

static uint64_t mask_of(uint32_t count) {
  return count ? ~(uint64_t)0 >> (64 - count) : 0;
}

static struct gasan_low_bits make(uint32_t bits, uint64_t value, uint32_t count) {
  count = count < bits ? count : bits;
  return (struct gasan_low_bits){value & mask_of(count), count};
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* Returns the number of lowest bits that are known to be 0. */
static uint32_t zeros(struct gasan_low_bits a) {
  return a.value ? (uint32_t)__builtin_ctzll(a.value) : a.count;
}

struct gasan_low_bits gasan_low_bits_add(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return make(bits, a.value + b.value, least(a.count, b.count));
}

struct gasan_low_bits gasan_low_bits_sub(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return make(bits, a.value - b.value, least(a.count, b.count));
}

/* Uses: if a = x + 2^m * s and b = y + 2^n * t, then a * b is x * y plus multiples of 2^m * y, 2^n * x and 2^(m +
 * n). */
struct gasan_low_bits gasan_low_bits_mul(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return make(bits, a.value * b.value, least(a.count + zeros(b), b.count + zeros(a)));
}

struct gasan_low_bits gasan_low_bits_rem(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return b.value ? make(bits, a.value, least(a.count, zeros(b))) : make(bits, 0, 0); /* b may be 0 */
}

/* A bit of the result is known if both operands' bits are, or if one of them decides it. */
static struct gasan_low_bits bitwise(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b, uint64_t result,
                                     uint64_t decided_by_a, uint64_t decided_by_b) {
  uint64_t of_a = mask_of(a.count), of_b = mask_of(b.count);
  uint64_t known = (of_a & of_b) | (of_a & decided_by_a) | (of_b & decided_by_b);
  return make(bits, result, ~known ? (uint32_t)__builtin_ctzll(~known) : 64);
}

struct gasan_low_bits gasan_low_bits_and(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return bitwise(bits, a, b, a.value & b.value, ~a.value, ~b.value);
}

struct gasan_low_bits gasan_low_bits_or(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return bitwise(bits, a, b, a.value | b.value, a.value, b.value);
}

struct gasan_low_bits gasan_low_bits_xor(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return bitwise(bits, a, b, a.value ^ b.value, 0, 0);
}

struct gasan_low_bits gasan_low_bits_shl(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  if (b.count < bits || b.value >= bits)
    return make(bits, 0, 0);
  return make(bits, a.value << b.value, a.count + (uint32_t)b.value);
}

struct gasan_low_bits gasan_low_bits_shr(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  if (b.count < bits || b.value >= bits || a.count <= b.value)
    return make(bits, 0, 0);
  return make(bits, a.value >> b.value, a.count - (uint32_t)b.value);
}

struct gasan_low_bits gasan_low_bits_either(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  uint32_t same = a.value ^ b.value ? (uint32_t)__builtin_ctzll(a.value ^ b.value) : 64;
  return make(bits, a.value, least(same, least(a.count, b.count)));
}

struct gasan_low_bits gasan_low_bits_first(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  (void)b;
  return make(bits, a.value, a.count);
}

struct gasan_low_bits gasan_low_bits_recurrence(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return make(bits, a.value, least(a.count, zeros(b)));
}

struct gasan_low_bits gasan_low_bits_dividend(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b) {
  return gasan_low_bits_rem(bits, a, b); /* both are equal modulo b */
}

bool gasan_low_bits_meet(struct gasan_low_bits a, struct gasan_low_bits b, struct gasan_low_bits *both) {
  *both = a.count > b.count ? a : b;
  return ((a.value ^ b.value) & mask_of(least(a.count, b.count))) == 0;
}

void gasan_low_bits_narrow(struct gasan_interval *a, struct gasan_low_bits *low) {
  if (a->empty)
    return;
  uint64_t mask = mask_of(low->count);
  uint64_t before = (low->value - a->low) & mask;
  if (before > a->span) {
    *a = gasan_interval_empty(a->bits);
    return;
  }
  bool is_all = a->span == mask_of(a->bits);
  if (!is_all || low->count == a->bits) {
    uint64_t span = (a->span - before) & ~mask;
    *a = gasan_interval_between(a->bits, a->low + before, a->low + before + span);
  }
  if (!a->span)
    *low = (struct gasan_low_bits){a->low, a->bits};
}
