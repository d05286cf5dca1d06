/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A square matrix with 0 to 31 elements a row, at random columns.
#pragma once

#include "../program.h"

struct Sparse {
  static constexpr unsigned kMost = 31;
  unsigned rows;

  __host__ __device__ static unsigned length(unsigned row) { return scramble(row + (2ull << 40)) % (kMost + 1); }
  // Element k of a row.
  __host__ __device__ unsigned column(size_t row, unsigned k) const { return scramble(row * (kMost + 1) + k) % rows; }
  __host__ __device__ static float value(size_t row, unsigned k) { return unit(1, row * (kMost + 1) + k); }

  double product(size_t row) const {
    double sum = 0;
    for (unsigned k = 0; k < length(row); k++)
      sum += double(value(row, k)) * unit(3, column(row, k));
    return sum;
  }
};
