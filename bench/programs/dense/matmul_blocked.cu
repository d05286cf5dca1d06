/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A matrix product by tiles in shared memory, of which each thread keeps 8 x 8 sums in registers. n is a multiple
// of 64.
#include "matmul.h"

constexpr int kTile = 64, kDepth = 16, kSums = 8, kSide = kTile / kSums, kThreads = kSide * kSide;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[kDepth][kTile + 1], tile_b[kDepth][kTile];
  int thread = threadIdx.x, x = thread % kSide, y = thread / kSide, row = blockIdx.y * kTile,
      column = blockIdx.x * kTile;
  float sums[kSums][kSums] = {};
  for (int start = 0; start < n; start += kDepth) {
    for (int i = thread; i < kTile * kDepth; i += kThreads) {
      tile_a[i % kDepth][i / kDepth] = a[(row + i / kDepth) * n + start + i % kDepth];
      tile_b[i / kTile][i % kTile] = b[(start + i / kTile) * n + column + i % kTile];
    }
    __syncthreads();
    for (int k = 0; k < kDepth; k++) {
      float left[kSums], right[kSums];
      for (int i = 0; i < kSums; i++) {
        left[i] = tile_a[k][y + i * kSide];
        right[i] = tile_b[k][x + i * kSide];
      }
      for (int i = 0; i < kSums; i++)
        for (int j = 0; j < kSums; j++)
          sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kSums; i++)
    for (int j = 0; j < kSums; j++)
      c[(row + y + i * kSide) * n + column + x + j * kSide] = sums[i][j];
}

int main(int argc, char **argv) {
  return multiply(argc, argv, [](const float *a, const float *b, float *c, int n) {
    matmul<<<dim3(n / kTile, n / kTile), kThreads>>>(a, b, c, n);
  });
}
