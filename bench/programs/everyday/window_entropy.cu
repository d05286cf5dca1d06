/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The entropy of the grey levels in a window of 5 by 5 pixels around each pixel.
// Stands for a private array whose indices are characters of the input, and for a small table in shared memory.
#include "../program.h"

constexpr int kLevels = 16, kRadius = 2, kMostPixels = (2 * kRadius + 1) * (2 * kRadius + 1);

struct Image {
  const char *pixels;
  int width, height, pitch;
};

__device__ bool is_inside(const Image &image, int x, int y) {
  return x >= 0 && x < image.width && y >= 0 && y < image.height;
}

__device__ int count_levels(Image image, int center_x, int center_y, int *counts) {
  int pixels = 0;
  for (int level = 0; level < kLevels; level++)
    counts[level] = 0;
  for (int dy = -kRadius; dy <= kRadius; dy++)
    for (int dx = -kRadius; dx <= kRadius; dx++) {
      int x = center_x + dx, y = center_y + dy;
      if (!is_inside(image, x, y))
        continue;
      char level = image.pixels[y * image.pitch + x];
      counts[level]++;
      pixels++;
    }
  return pixels;
}

__global__ void find_entropy(Image image, float *entropy) {
  __shared__ float logarithms[kMostPixels + 1];
  int tid = threadIdx.y * blockDim.x + threadIdx.x;
  if (tid <= kMostPixels)
    logarithms[tid] = tid == 0 ? 0.f : log2f((float)tid);
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < image.width && y < image.height) {
    int counts[kLevels], pixels = count_levels(image, x, y, counts);
    float sum = 0;
    for (int level = 0; level < kLevels; level++)
      sum += counts[level] * (logarithms[pixels] - logarithms[counts[level]]);
    entropy[y * image.width + x] = sum / pixels;
  }
}

struct MakePixel {
  int pitch;
  __host__ __device__ char operator()(size_t i) const {
    return char((i % pitch / 9 + i / pitch / 7 + scramble(i) % 4) % kLevels);
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(61, 8190), height = program.size(43, 8000), pitch = (width + 15) / 16 * 16;
  MakePixel make = {pitch};
  char *pixels = program.allocate_made<char>(size_t(pitch) * height, make);
  float *entropy = program.allocate<float>(size_t(width) * height);
  dim3 block(32, 8), blocks(divide_up(width, block.x), divide_up(height, block.y));
  program.time([&] { find_entropy<<<blocks, block>>>(Image{pixels, width, height, pitch}, entropy); });
  auto check = [&](size_t i) {
    int counts[kLevels] = {}, count = 0, x = i % width, y = i / width;
    for (int row = std::max(y - kRadius, 0); row <= std::min(y + kRadius, height - 1); row++)
      for (int column = std::max(x - kRadius, 0); column <= std::min(x + kRadius, width - 1); column++, count++)
        counts[int(make(size_t(row) * pitch + column))]++;
    double sum = 0;
    for (int level = 0; level < kLevels; level++)
      if (counts[level])
        sum -= counts[level] * log2(double(counts[level]) / count) / count;
    return fabs(fetch(entropy + i) - sum) < 1e-4;
  };
  return program.finish(program.verify(size_t(width) * height, check, kMostPixels));
}
