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

/* Both operands have 32 or 64 bits. The product is rounded; gasan_ordinals_real_mul contains the exact product, too,
 * for one that may be fused with an addition. */
gasan_interval_binary gasan_ordinals_add, gasan_ordinals_sub, gasan_ordinals_mul, gasan_ordinals_real_mul,
    gasan_ordinals_div;

/* From a number's bits, as it is stored. */
gasan_interval_cast gasan_ordinals_of_bits;
/* From an integer of any bits to a number of `bits` bits. */
gasan_interval_cast gasan_ordinals_of_signed, gasan_ordinals_of_unsigned;
/* To an integer of `bits` bits, towards zero. Numbers that such an integer cannot have: all values. */
gasan_interval_cast gasan_ordinals_to_signed, gasan_ordinals_to_unsigned;
/* To an integral number of the same bits: downwards, upwards, towards zero, to the nearest even one. */
gasan_interval_cast gasan_ordinals_floor, gasan_ordinals_ceil, gasan_ordinals_chop, gasan_ordinals_even;
/* Between 32 and 64 bits. */
gasan_interval_cast gasan_ordinals_resize;
gasan_interval_cast gasan_ordinals_sqrt;

#endif
