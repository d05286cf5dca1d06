/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rounding to multiples of a power of two, in device code too. */
#ifndef GASAN_BASE_ROUND_H
#define GASAN_BASE_ROUND_H

#include "base/abi.h"

/* Returns the least multiple of `power` that is not less than value; 0 if that is 2^64. */
GASAN_ABI_FUNCTION uint64_t gasan_round_up(uint64_t value, uint64_t power) {
  return (value + power - 1) & ~(power - 1);
}

#endif
