/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// LU decomposition of an n x n matrix in 16 x 16 tiles as Rodinia's lud, in one array. The matrix is min(row, column) +
// 1, whose factors are all ones: exact. n is a multiple of the tile.
#include "footprint.h"

constexpr int kTile = 16;

__global__ void diagonal(float *matrix, int n, int offset) {
  __shared__ float tile[kTile][kTile];
  int t = threadIdx.x;
  float *corner = matrix + size_t(offset) * n + offset;
  for (int row = 0; row < kTile; row++)
    tile[row][t] = corner[size_t(row) * n + t];
  __syncthreads();
  for (int k = 0; k < kTile - 1; k++) {
    if (t > k) {
      tile[t][k] /= tile[k][k];
      for (int column = k + 1; column < kTile; column++)
        tile[t][column] -= tile[t][k] * tile[k][column];
    }
    __syncthreads();
  }
  for (int row = 0; row < kTile; row++)
    corner[size_t(row) * n + t] = tile[row][t];
}

// Blocks with y = 0 compute a tile right of the diagonal one, those with y = 1 a tile below it.
__global__ void perimeter(float *matrix, int n, int offset) {
  __shared__ float corner[kTile][kTile], tile[kTile][kTile];
  int t = threadIdx.x, other = offset + (blockIdx.x + 1) * kTile;
  bool below = blockIdx.y == 1;
  float *own = matrix + size_t(below ? other : offset) * n + (below ? offset : other);
  for (int row = 0; row < kTile; row++) {
    corner[row][t] = matrix[size_t(offset + row) * n + offset + t];
    tile[row][t] = own[size_t(row) * n + t];
  }
  __syncthreads();
  for (int k = 0; k < kTile; k++)
    if (below) {
      tile[t][k] /= corner[k][k];
      for (int column = k + 1; column < kTile; column++)
        tile[t][column] -= tile[t][k] * corner[k][column];
    } else {
      for (int row = k + 1; row < kTile; row++)
        tile[row][t] -= corner[row][k] * tile[k][t];
    }
  __syncthreads();
  for (int row = 0; row < kTile; row++)
    own[size_t(row) * n + t] = tile[row][t];
}

__global__ void internal(float *matrix, int n, int offset) {
  __shared__ float above[kTile][kTile], left[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = offset + (blockIdx.y + 1) * kTile + y, column = offset + (blockIdx.x + 1) * kTile + x;
  above[y][x] = matrix[size_t(offset + y) * n + column];
  left[y][x] = matrix[size_t(row) * n + offset + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < kTile; k++)
    sum += left[y][k] * above[k][x];
  matrix[size_t(row) * n + column] -= sum;
}

int main(int argc, char **argv) {
  Footprint run("lud", argc, argv, 48, 256, 9216);
  int n = run.n;
  float *matrix = run.allocate_made<float>(size_t(n) * n, [n] __host__ __device__(size_t i) {
    size_t row = i / n, column = i % n;
    return float((row < column ? row : column) + 1);
  });
  for (int offset = 0; offset < n; offset += kTile) {
    diagonal<<<1, kTile>>>(matrix, n, offset);
    if (unsigned rest = (n - offset) / kTile - 1) {
      perimeter<<<dim3(rest, 2), kTile>>>(matrix, n, offset);
      internal<<<dim3(rest, rest), dim3(kTile, kTile)>>>(matrix, n, offset);
    }
  }
  run.launched();
  return run.finish(holds_for_samples(size_t(n) * n, [&](size_t i) { return fetch(matrix + i) == 1; }));
}
