/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lowest bits that all values of a node share (private to proof/). They say which powers of two divide an offset,
 * as the alignment of an access needs it, and move the ends of intervals: of 0 to 99 and "a multiple of 4", 96 is the
 * greatest value.
 *
 * The operations get the bits of the result and the low bits of the operands, and return low bits that each result has.
 * They know nothing (count 0) where the program is undefined, since a GPU continues with some value. An operand that is
 * a single value has all of its bits known. The functions keep no state and cannot fail. */
#ifndef GASAN_PROOF_LOW_BITS_H
#define GASAN_PROOF_LOW_BITS_H

#include "proof/interval.h"

struct gasan_low_bits {
  uint64_t value; /* below 2^count */
  uint32_t count; /* 0 to the value's bits */
};

typedef struct gasan_low_bits gasan_low_bits_operation(uint32_t bits, struct gasan_low_bits a, struct gasan_low_bits b);
gasan_low_bits_operation gasan_low_bits_add, gasan_low_bits_sub, gasan_low_bits_mul;
/* Signed or not. */
gasan_low_bits_operation gasan_low_bits_rem;
gasan_low_bits_operation gasan_low_bits_and, gasan_low_bits_or, gasan_low_bits_xor;
gasan_low_bits_operation gasan_low_bits_shl, gasan_low_bits_shr;
/* Of a value that is a or b: minima, maxima, unions. */
gasan_low_bits_operation gasan_low_bits_either;
/* Those of a, of which the result has `bits` or fewer. */
gasan_low_bits_operation gasan_low_bits_first;
/* Of a + i * b, for any i. */
gasan_low_bits_operation gasan_low_bits_recurrence;

/* Of x where x % b is a, signed or not. */
gasan_low_bits_operation gasan_low_bits_dividend;

/* Returns whether a and b can be the low bits of one value. Sets *both to the bits of both. */
bool gasan_low_bits_meet(struct gasan_low_bits a, struct gasan_low_bits b, struct gasan_low_bits *both);

/* Leaves out the ends of *a that do not have these low bits; if no value has them, *a becomes empty. If *a is a single
 * value, all of its bits become known. */
void gasan_low_bits_narrow(struct gasan_interval *a, struct gasan_low_bits *low);

#endif
