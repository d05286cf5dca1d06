/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A sparse matrix in compressed rows times a vector; a warp takes a row.
#include "sparse.h"

__global__ void multiply(const unsigned *first, const unsigned *columns, const float *values, const float *x, float *y,
                         unsigned rows) {
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows)
    return;
  float sum = 0;
  for (unsigned i = first[row] + lane; i < first[row + 1]; i += warpSize)
    sum += values[i] * x[columns[i]];
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0)
    y[row] = sum;
}

__global__ void make_rows(const unsigned *first, unsigned *columns, float *values, Sparse matrix) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= matrix.rows)
    return;
  for (unsigned k = 0; k < matrix.length(row); k++) {
    columns[first[row] + k] = matrix.column(row, k);
    values[first[row] + k] = matrix.value(row, k);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Sparse matrix = {unsigned(program.size(1000, 2 << 20))};
  std::vector<unsigned> host_first(matrix.rows + 1);
  for (unsigned row = 0; row < matrix.rows; row++)
    host_first[row + 1] = host_first[row] + Sparse::length(row);
  unsigned count = host_first[matrix.rows], *first = program.allocate_copy(host_first);
  unsigned *columns = program.allocate<unsigned>(count);
  float *values = program.allocate<float>(count), *y = program.allocate<float>(matrix.rows);
  float *x = program.allocate_made<float>(matrix.rows, MakeUnits{3});
  make_rows<<<divide_up(matrix.rows, 256), 256>>>(first, columns, values, matrix);
  program.time([&] { multiply<<<divide_up(matrix.rows, 8), 256>>>(first, columns, values, x, y, matrix.rows); });
  return program.finish(
      program.verify(matrix.rows, [&](size_t i) { return is_close(fetch(y + i), matrix.product(i)); }));
}
