/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A convolution of an image by 7 x 7 weights in constant memory, a block's pixels and their surroundings in shared
// memory.
#include "../program.h"

constexpr int kRadius = 3, kWidth = 2 * kRadius + 1, kTile = 16, kPatch = kTile + 2 * kRadius;

__constant__ float weights[kWidth * kWidth];

__global__ void convolve(const float *in, float *out, int width, int height) {
  __shared__ float patch[kPatch][kPatch];
  int left = blockIdx.x * kTile - kRadius, top = blockIdx.y * kTile - kRadius;
  for (int y = threadIdx.y; y < kPatch; y += kTile)
    for (int x = threadIdx.x; x < kPatch; x += kTile) {
      int from_x = min(max(left + x, 0), width - 1), from_y = min(max(top + y, 0), height - 1);
      patch[y][x] = in[from_y * width + from_x];
    }
  __syncthreads();
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = 0; dy < kWidth; dy++)
    for (int dx = 0; dx < kWidth; dx++)
      sum += weights[dy * kWidth + dx] * patch[threadIdx.y + dy][threadIdx.x + dx];
  out[y * width + x] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(75, 8192), height = program.size(50, 8000);
  size_t count = size_t(width) * height;
  float *in = program.allocate_made<float>(count, MakeUnits{0}), *out = program.allocate<float>(count);
  float host_weights[kWidth * kWidth];
  for (int i = 0; i < kWidth * kWidth; i++)
    host_weights[i] = unit(1, i);
  REQUIRE(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
  program.time([&] {
    convolve<<<dim3(divide_up(width, kTile), divide_up(height, kTile)), dim3(kTile, kTile)>>>(in, out, width, height);
  });
  auto check = [&](size_t i) {
    int x = i % width, y = i / width;
    double sum = 0;
    for (int dy = -kRadius; dy <= kRadius; dy++)
      for (int dx = -kRadius; dx <= kRadius; dx++) {
        int from_x = std::min(std::max(x + dx, 0), width - 1), from_y = std::min(std::max(y + dy, 0), height - 1);
        sum += double(host_weights[(dy + kRadius) * kWidth + dx + kRadius]) * unit(0, size_t(from_y) * width + from_x);
      }
    return is_close(fetch(out + i), sum);
  };
  return program.finish(program.verify(count, check));
}
