/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gaussian elimination of n equations as Rodinia's gaussian: two launches a column, multipliers in a matrix of their
// own. The matrix is min(row, column) + 1, whose factors are all ones: exact.
#include "footprint.h"

constexpr int kThreads = 256, kTile = 16;

__global__ void find_multipliers(float *multipliers, const float *matrix, int n, int column) {
  int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;
  if (row < n)
    multipliers[size_t(row) * n + column] = matrix[size_t(row) * n + column] / matrix[size_t(column) * n + column];
}

__global__ void eliminate(const float *multipliers, float *matrix, float *right, int n, int column) {
  int x = blockIdx.x * kTile + threadIdx.x + column, row = blockIdx.y * kTile + threadIdx.y + column + 1;
  if (x >= n || row >= n)
    return;
  float multiplier = multipliers[size_t(row) * n + column];
  matrix[size_t(row) * n + x] -= multiplier * matrix[size_t(column) * n + x];
  if (x == column)
    right[row] -= multiplier * right[column];
}

int main(int argc, char **argv) {
  Footprint run("gaussian", argc, argv, 40, 1024, 6144);
  int n = run.n;
  size_t count = size_t(n) * n;
  float *multipliers = run.allocate_made<float>(count, [] __host__ __device__(size_t) { return 0.0f; });
  float *matrix = run.allocate_made<float>(count, [n] __host__ __device__(size_t i) {
    size_t row = i / n, column = i % n;
    return float((row < column ? row : column) + 1);
  });
  float *right = run.allocate_made<float>(n, [] __host__ __device__(size_t i) { return float(i + 1); });
  for (int column = 0; column < n - 1; column++) {
    int rest = n - 1 - column;
    find_multipliers<<<divide_up(rest, kThreads), kThreads>>>(multipliers, matrix, n, column);
    eliminate<<<dim3(divide_up(rest + 1, kTile), divide_up(rest, kTile)), dim3(kTile, kTile)>>>(multipliers, matrix,
                                                                                                right, n, column);
  }
  run.launched();
  return run.finish(holds_for_samples(count, [&](size_t i) {
    size_t row = i / n, column = i % n;
    return fetch(matrix + i) == (column >= row ? 1 : 0) && fetch(multipliers + i) == (column < row ? 1 : 0) &&
           fetch(right + row) == 1;
  }));
}
