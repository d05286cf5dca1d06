/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contiguous intervals modulo 2^bits (private to proof/): the values low, low + 1, ..., low + span, which may pass from
 * the greatest value to 0; or none; or all of them (low 0). Values are kept as unsigned ones below 2^bits.
 *
 * Every operation's result holds each value that the operation has for operands out of its intervals, with a program's
 * overflow wrapping around. `exact` below: it is also the smallest such interval. An operation with an empty operand is
 * never executed: its result is empty. No state, nothing fails. */
#ifndef GASAN_PROOF_INTERVAL_H
#define GASAN_PROOF_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

struct gasan_interval {
  uint64_t low, span;
  uint32_t bits; /* 1..64 */
  bool empty;
};

struct gasan_interval gasan_interval_empty(uint32_t bits);
struct gasan_interval gasan_interval_all(uint32_t bits);
/* first, first + 1, ... up to last; first > last: past 0. */
struct gasan_interval gasan_interval_between(uint32_t bits, uint64_t first, uint64_t last);

bool gasan_interval_holds(struct gasan_interval a, uint64_t value);

/* Both operands have the same bits. Exact: add, sub, minima, maxima, unite; division and remainder by a single value;
 * shifts right, and left by a single amount. Where the program is undefined (a division by 0, or of the least value by
 * -1; a shift by `bits` or more) the result is everything: a GPU goes on with some value. */
typedef struct gasan_interval gasan_interval_binary(struct gasan_interval a, struct gasan_interval b);
gasan_interval_binary gasan_interval_add, gasan_interval_sub, gasan_interval_mul;
gasan_interval_binary gasan_interval_udiv, gasan_interval_sdiv, gasan_interval_urem, gasan_interval_srem;
gasan_interval_binary gasan_interval_and, gasan_interval_or, gasan_interval_xor;
gasan_interval_binary gasan_interval_shl, gasan_interval_lshr, gasan_interval_ashr;
gasan_interval_binary gasan_interval_smin, gasan_interval_smax, gasan_interval_umin, gasan_interval_umax;
/* The only one that takes an empty operand: the other is the result. */
gasan_interval_binary gasan_interval_unite;

/* The values of a for which "a op b" is true for some value of b. Exact. */
gasan_interval_binary gasan_interval_where_eq, gasan_interval_where_ne;
gasan_interval_binary gasan_interval_where_slt, gasan_interval_where_sle, gasan_interval_where_sgt,
    gasan_interval_where_sge;
gasan_interval_binary gasan_interval_where_ult, gasan_interval_where_ule, gasan_interval_where_ugt,
    gasan_interval_where_uge;
/* a, or empty if b is; b has bits of its own. */
gasan_interval_binary gasan_interval_if;

/* To more bits (sext, zext) or fewer (trunc). Exact. */
typedef struct gasan_interval gasan_interval_cast(struct gasan_interval a, uint32_t bits);
gasan_interval_cast gasan_interval_sext, gasan_interval_zext, gasan_interval_trunc;

/* start + i * step for all 0 <= i <= the greatest value of count, which has bits of its own; start, if one of these is
 * empty. */
struct gasan_interval gasan_interval_recurrence(struct gasan_interval start, struct gasan_interval step,
                                                struct gasan_interval count);

/* How often a loop goes round (base/proof.h, GASAN_PROOF_TIMES_NE): [0, the greatest number of times], of 64 bits. */
typedef struct gasan_interval gasan_interval_loop(struct gasan_interval start, struct gasan_interval step,
                                                  struct gasan_interval end);
gasan_interval_loop gasan_interval_times_ne;
gasan_interval_loop gasan_interval_times_slt, gasan_interval_times_sle, gasan_interval_times_sgt,
    gasan_interval_times_sge;
gasan_interval_loop gasan_interval_times_ult, gasan_interval_times_ule, gasan_interval_times_ugt,
    gasan_interval_times_uge;

#endif
