/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A filter of an image by a square of weights, where the image goes on as its mirror image beyond the borders.
// The program stands for accesses at mirrored indices, with a filter of a size that the kernel gets as an argument.
#include "../program.h"

struct Image {
  const float *pixels;
  int width, height, pitch; // pitch: in elements
};

__host__ __device__ int mirror(int x, int size) {
  if (x < 0)
    return -x;
  if (x >= size)
    return 2 * size - 1 - x;
  return x;
}

__device__ float pixel(Image image, int x, int y) {
  return image.pixels[mirror(y, image.height) * image.pitch + mirror(x, image.width)];
}

__global__ void filter(Image in, const float *weights, float *out, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.width)
    return;
  if (y >= in.height)
    return;
  float sum = 0.0f;
  int at = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx)
      sum += weights[at++] * pixel(in, x + dx, y + dy);
  out[y * in.width + x] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(75, 8190), height = program.size(50, 8000), radius = program.size(3, 2);
  int pitch = (width + 31) / 32 * 32, side = 2 * radius + 1;
  float *pixels = program.allocate_made<float>(size_t(pitch) * height, MakeUnits{0});
  float *weights = program.allocate_made<float>(side * side, MakeUnits{1});
  size_t count = size_t(width) * height;
  float *out = program.allocate<float>(count);
  Image in = {pixels, width, height, pitch};
  dim3 block(32, 4), blocks((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  program.time([&] { filter<<<blocks, block>>>(in, weights, out, radius); });
  auto check = [&](size_t i) {
    int x = i % width, y = i / width;
    double sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
      for (int dx = -radius; dx <= radius; dx++)
        sum += double(unit(1, (dy + radius) * side + dx + radius)) *
               unit(0, size_t(mirror(y + dy, height)) * pitch + mirror(x + dx, width));
    return is_close(fetch(out + i), sum);
  };
  return program.finish(program.verify(count, check, side * side));
}
