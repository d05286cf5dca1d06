/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A box filter: the mean of the pixels around each pixel, without those beyond the image.
// The program stands for a tile with a halo in shared memory, which strided loops of all threads fill.
#include "../program.h"

constexpr int kTile = 16, kRadius = 4, kSide = kTile + 2 * kRadius;

__device__ bool is_inside(int x, int y, int width, int height) {
  return x >= 0 && x < width && y >= 0 && y < height;
}

__device__ void fill_tile(float *tile, const float *image, int left, int top, int width, int height) {
  int threads = blockDim.x * blockDim.y;
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < kSide * kSide; k += threads) {
    int x = left + k % kSide, y = top + k / kSide;
    tile[k] = is_inside(x, y, width, height) ? image[y * width + x] : 0.0f;
  }
}

__global__ void box_filter(const float *image, float *means, int width, int height) {
  __shared__ float tile[kSide * kSide];
  int left = (int)(blockIdx.x * kTile) - kRadius, top = (int)(blockIdx.y * kTile) - kRadius;
  fill_tile(tile, image, left, top, width, height);
  __syncthreads();
  // A block has fewer rows of threads than a tile has rows.
  for (int ty = threadIdx.y; ty < kTile; ty += blockDim.y) {
    int x = left + kRadius + threadIdx.x, y = top + kRadius + ty;
    if (x >= width || y >= height)
      continue;
    float sum = 0;
    for (int dy = 0; dy <= 2 * kRadius; dy++)
      for (int dx = 0; dx <= 2 * kRadius; dx++)
        sum += tile[(ty + dy) * kSide + threadIdx.x + dx];
    int across = min(x + kRadius, width - 1) - max(x - kRadius, 0) + 1;
    int down = min(y + kRadius, height - 1) - max(y - kRadius, 0) + 1;
    means[y * width + x] = sum / (across * down);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(75, 8190), height = program.size(50, 8000);
  size_t count = size_t(width) * height;
  float *image = program.allocate_made<float>(count, MakeUnits{0}), *means = program.allocate<float>(count);
  dim3 blocks((width - 1) / kTile + 1, (height - 1) / kTile + 1), block(kTile, 8);
  program.time([&] { box_filter<<<blocks, block>>>(image, means, width, height); });
  auto check = [&](size_t i) {
    int x = i % width, y = i / width, pixels = 0;
    double sum = 0;
    for (int row = std::max(y - kRadius, 0); row <= std::min(y + kRadius, height - 1); row++)
      for (int column = std::max(x - kRadius, 0); column <= std::min(x + kRadius, width - 1); column++, pixels++)
        sum += unit(0, size_t(row) * width + column);
    return is_close(fetch(means + i), sum / pixels);
  };
  return program.finish(program.verify(count, check, 4 * kRadius * kRadius));
}
