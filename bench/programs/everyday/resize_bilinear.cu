/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An image of three bytes a pixel, scaled to another size with bilinear interpolation.
// The program stands for indices that come from floating point and are clamped to the image.
#include "../program.h"

constexpr int kChannels = 3;

struct Size {
  int width, height;
};

struct Position {
  int low, high; // the two pixels
  float part;    // the second one's weight
};

__host__ __device__ Position position(int to, float scale, int size) {
  float at = (to + 0.5f) * scale - 0.5f;
  int low = (int)floorf(at);
  float part = at - low;
  int high = low + 1;
  low = low < 0 ? 0 : low;
  low = low > size - 1 ? size - 1 : low;
  high = high < size ? high : size - 1;
  return {low, high, part};
}

__global__ void resize(const unsigned char *in, Size in_size, unsigned char *out, Size out_size, float scale_x,
                       float scale_y) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  if (!(x < out_size.width && y < out_size.height))
    return;
  Position px = position(x, scale_x, in_size.width), py = position(y, scale_y, in_size.height);
  const unsigned char *upper = in + py.low * in_size.width * kChannels;
  const unsigned char *lower = in + py.high * in_size.width * kChannels;
  for (int c = 0; c < kChannels; c++) {
    float above = upper[px.low * kChannels + c] * (1 - px.part) + upper[px.high * kChannels + c] * px.part;
    float below = lower[px.low * kChannels + c] * (1 - px.part) + lower[px.high * kChannels + c] * px.part;
    out[(y * out_size.width + x) * kChannels + c] = (unsigned char)(above * (1 - py.part) + below * py.part + 0.5f);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Size in_size = {int(program.size(60, 6000)), int(program.size(41, 5000))};
  Size out_size = {int(program.size(75, 8000)), int(program.size(33, 6100))};
  size_t in_count = size_t(in_size.width) * in_size.height * kChannels;
  size_t out_count = size_t(out_size.width) * out_size.height * kChannels;
  auto make = [] __host__ __device__(size_t i) { return (unsigned char)scramble(i); };
  unsigned char *in = program.allocate_made<unsigned char>(in_count, make);
  unsigned char *out = program.allocate<unsigned char>(out_count);
  float scale_x = float(in_size.width) / out_size.width, scale_y = float(in_size.height) / out_size.height;
  dim3 block(16, 16), blocks((out_size.width + 15) / 16, (out_size.height + 15) / 16);
  program.time([&] { resize<<<blocks, block>>>(in, in_size, out, out_size, scale_x, scale_y); });
  auto check = [&](size_t i) {
    int c = i % kChannels, x = i / kChannels % out_size.width, y = i / kChannels / out_size.width;
    Position px = position(x, scale_x, in_size.width), py = position(y, scale_y, in_size.height);
    auto of = [&](int row, int column) { return make((size_t(row) * in_size.width + column) * kChannels + c); };
    double above = of(py.low, px.low) * (1 - px.part) + of(py.low, px.high) * px.part;
    double below = of(py.high, px.low) * (1 - px.part) + of(py.high, px.high) * px.part;
    return fabs(fetch(out + i) - (above * (1 - py.part) + below * py.part)) < 1;
  };
  return program.finish(program.verify(out_count, check));
}
