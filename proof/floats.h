/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Intervals of IEEE 754 numbers of 32 or 64 bits (private to proof/). An interval holds the numbers' ordinals: signed
 * integers of as many bits, of which the greater one stands for the greater number. Both zeros have the ordinal 0, and
 * the ordinal of -x is minus that of x. Ordinals beyond those of the infinities stand for NaN, so an interval that has
 * one of them says that the number may be NaN; such an operand makes any result possible. So minima, maxima, unions
 * and comparisons of numbers are those of integers. (A minimum with NaN is the other operand. An interval in which NaN
 * is possible holds all ordinals beyond one infinity at least, and so the minimum's interval holds the other operand.)
 *
 * A result contains what a GPU computes, which rounds to nearest, with or without a fused multiplication and addition,
 * and may flush subnormal numbers to zero. It does not depend on the rounding mode of the host's thread. The functions
 * keep no state and cannot fail. */
#ifndef GASAN_PROOF_FLOATS_H
#define GASAN_PROOF_FLOATS_H

#include "proof/interval.h"

/* Take two operands of 32 or of 64 bits, and return a result of the same bits. gasan_ordinals_mul returns the rounded
 * product. gasan_ordinals_real_mul also returns the exact one, for a product that may be fused with an addition. */
gasan_interval_binary gasan_ordinals_add, gasan_ordinals_sub, gasan_ordinals_mul, gasan_ordinals_real_mul,
    gasan_ordinals_div;

/* Converts the bits of a number, as memory has them, to its ordinal. `bits` is a.bits. */
gasan_interval_cast gasan_ordinals_of_bits;
/* Convert an integer of any bits to a number of `bits` bits. */
gasan_interval_cast gasan_ordinals_of_signed, gasan_ordinals_of_unsigned;
/* Convert a number to an integer of `bits` bits, towards zero. Return all values if the integer cannot have one of the
 * numbers, because processors then give different results. */
gasan_interval_cast gasan_ordinals_to_signed, gasan_ordinals_to_unsigned;
/* Round a number to an integral number of the same bits: downwards, upwards, towards zero, to the nearest even one. */
gasan_interval_cast gasan_ordinals_floor, gasan_ordinals_ceil, gasan_ordinals_chop, gasan_ordinals_even;
/* Converts a number of 32 bits to 64 bits, or back. */
gasan_interval_cast gasan_ordinals_resize;
/* Returns the square root, rounded to nearest. `bits` is a.bits. */
gasan_interval_cast gasan_ordinals_sqrt;

#endif
