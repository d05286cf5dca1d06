/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lowest bits that all values of a node share (private to proof/). They show which powers of two divide an offset,
 * as needed for the alignment of an access. They also move the ends of intervals: in 0 to 99, the greatest multiple of
 * 4 is 96.
 *
 * Each operation gets the number of bits of the result and the low bits of the operands, and returns low bits that
 * every result has. It returns no bits (count 0) where the program is undefined, since a GPU continues with some value.
 * All bits of a single value are known. The functions keep no state and cannot fail. */
#ifndef GASAN_PROOF_LOW_BITS_H
#define GASAN_PROOF_LOW_BITS_H

#include "proof/interval.h"

struct gasan_low_bits {
  uint64_t value; /* below 2^count */
  uint32_t count; /* 0 to the value's bits */
};

typedef struct gasan_low_bits gasan_low_bits_operation(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b);
gasan_low_bits_operation gasan_low_bits_add, gasan_low_bits_sub, gasan_low_bits_mul;
/* The remainder, signed or not. */
gasan_low_bits_operation gasan_low_bits_rem;
gasan_low_bits_operation gasan_low_bits_and, gasan_low_bits_or, gasan_low_bits_xor;
gasan_low_bits_operation gasan_low_bits_shl, gasan_low_bits_shr;
/* The low bits of a value that is either a or b: minima, maxima, unions. */
gasan_low_bits_operation gasan_low_bits_either;
/* The low bits of a, for a result that has at most as many bits. */
gasan_low_bits_operation gasan_low_bits_first;
/* The low bits of a + i * b, for any i. */
gasan_low_bits_operation gasan_low_bits_recurrence;

/* The low bits of x where x % b is a, signed or not. */
gasan_low_bits_operation gasan_low_bits_dividend;

/* Returns whether a and b can be low bits of the same value. If so, sets *both to the bits of both. */
bool gasan_low_bits_meet(struct gasan_low_bits a, struct gasan_low_bits b, struct gasan_low_bits *both);

/* Moves the ends of *a to values that have these low bits; makes *a empty if no value has them. If *a is a single
 * value, sets *low to all of its bits. */
void gasan_low_bits_narrow(struct gasan_interval *a, struct gasan_low_bits *low);

#endif
