/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A transposed matrix by way of padded tiles in shared memory; four rows a thread.
#include "../program.h"

constexpr int kTile = 32, kRows = 8;

__global__ void transpose(const float *in, float *out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    if (x < width && y + i < height)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    if (x < height && y + i < width)
      out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(75, 8192), height = program.size(50, 8000);
  size_t count = size_t(width) * height;
  float *in = program.allocate_made<float>(count, MakeUnits{0}), *out = program.allocate<float>(count);
  program.time([&] {
    transpose<<<dim3(divide_up(width, kTile), divide_up(height, kTile)), dim3(kTile, kRows)>>>(in, out, width, height);
  });
  return program.finish(
      program.verify(count, [&](size_t i) { return fetch(out + i) == unit(0, i % height * width + i / height); }));
}
