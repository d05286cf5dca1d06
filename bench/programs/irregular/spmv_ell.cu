/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A sparse matrix in ELLPACK's form, columns padded to the longest row, times a vector; a thread takes a row.
#include "sparse.h"

constexpr unsigned kPadding = ~0u;

__global__ void multiply(const unsigned *columns, const float *values, const float *x, float *y, unsigned rows,
                         unsigned width) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (unsigned k = 0; k < width; k++) {
    unsigned column = columns[k * rows + row];
    if (column != kPadding)
      sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Sparse matrix = {unsigned(program.size(1000, 1 << 20))};
  unsigned rows = matrix.rows, width = Sparse::kMost;
  size_t count = size_t(rows) * width;
  unsigned *columns = program.allocate_made<unsigned>(count, [matrix] __host__ __device__(size_t i) {
    unsigned row = i % matrix.rows, k = i / matrix.rows;
    return k < matrix.length(row) ? matrix.column(row, k) : kPadding;
  });
  float *values = program.allocate_made<float>(
      count, [rows] __host__ __device__(size_t i) { return Sparse::value(i % rows, i / rows); });
  float *x = program.allocate_made<float>(rows, MakeUnits{3}), *y = program.allocate<float>(rows);
  program.time([&] { multiply<<<divide_up(rows, 256), 256>>>(columns, values, x, y, rows, width); });
  return program.finish(program.verify(rows, [&](size_t i) { return is_close(fetch(y + i), matrix.product(i)); }));
}
