/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rounding to multiples of a power of two. */
#ifndef GASAN_BASE_ROUND_H
#define GASAN_BASE_ROUND_H

#include <stdint.h>

/* The least multiple of `power` that is not less than value; wraps around to 0 where there is none. */
static inline uint64_t gasan_round_up(uint64_t value, uint64_t power) {
  return (value + power - 1) & ~(power - 1);
}

#endif
