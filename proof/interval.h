/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contiguous intervals modulo 2^bits (private to proof/). An interval has the values low, low + 1, ..., low + span,
 * which may wrap from the greatest value to 0; or no value; or all values (then low is 0). Values are unsigned, below
 * 2^bits.
 *
 * An operation's result contains every value that the operation can have for operands in its intervals. Overflow wraps
 * around. An operation is called exact if its result is also the smallest such interval. An operation with an empty
 * operand is never executed, so its result is empty. The functions keep no state and cannot fail. */
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
/* Returns the values from first to last; they wrap around if first > last. */
struct gasan_interval gasan_interval_between(uint32_t bits, uint64_t first, uint64_t last);

bool gasan_interval_holds(struct gasan_interval a, uint64_t value);

/* Both operands have the same bits. Exact operations: add, sub, minima, maxima and unite; division and remainder by a
 * single value; right shifts, and left shifts by a single amount. Where the program is undefined (a division by 0, or
 * of the least value by -1; a shift by `bits` or more), the result is all values, because a GPU continues with some
 * value. */
typedef struct gasan_interval gasan_interval_binary(struct gasan_interval a, struct gasan_interval b);
gasan_interval_binary gasan_interval_add, gasan_interval_sub, gasan_interval_mul;
gasan_interval_binary gasan_interval_udiv, gasan_interval_sdiv, gasan_interval_urem, gasan_interval_srem;
gasan_interval_binary gasan_interval_and, gasan_interval_or, gasan_interval_xor;
gasan_interval_binary gasan_interval_shl, gasan_interval_lshr, gasan_interval_ashr;
gasan_interval_binary gasan_interval_smin, gasan_interval_smax, gasan_interval_umin, gasan_interval_umax;
/* Returns the smallest interval that contains all values of both operands. If one is empty, returns the other. */
gasan_interval_binary gasan_interval_unite;

/* Return the values of a for which "a op b" is true for some value of b. Exact. */
gasan_interval_binary gasan_interval_where_eq, gasan_interval_where_ne;
gasan_interval_binary gasan_interval_where_slt, gasan_interval_where_sle, gasan_interval_where_sgt,
    gasan_interval_where_sge;
gasan_interval_binary gasan_interval_where_ult, gasan_interval_where_ule, gasan_interval_where_ugt,
    gasan_interval_where_uge;
/* Returns a, or the empty interval if b is empty. b may have other bits. */
gasan_interval_binary gasan_interval_if;

/* Convert to more bits (sext, zext) or fewer (trunc). Exact. */
typedef struct gasan_interval gasan_interval_cast(struct gasan_interval a, uint32_t bits);
gasan_interval_cast gasan_interval_sext, gasan_interval_zext, gasan_interval_trunc;

/* Returns start + i * step for all 0 <= i <= the greatest value of count; or start, if one of these is empty. count may
 * have other bits. */
struct gasan_interval gasan_interval_recurrence(struct gasan_interval start, struct gasan_interval step,
                                                struct gasan_interval count);

/* Return the number of times that a loop's back edge is taken: [0, greatest number], of 64 bits. base/proof_table.h has
 * the rules (GASAN_PROOF_TIMES_NE). */
typedef struct gasan_interval gasan_interval_loop(struct gasan_interval start, struct gasan_interval step,
                                                  struct gasan_interval end);
gasan_interval_loop gasan_interval_times_ne;
gasan_interval_loop gasan_interval_times_slt, gasan_interval_times_sle, gasan_interval_times_sgt,
    gasan_interval_times_sge;
gasan_interval_loop gasan_interval_times_ult, gasan_interval_times_ule, gasan_interval_times_ugt,
    gasan_interval_times_uge;

#endif
