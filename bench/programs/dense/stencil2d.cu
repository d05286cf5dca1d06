/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Jacobi's iteration on a plane: five points, two sweeps.
#include "../program.h"

__global__ void sweep(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int i = y * width + x;
  bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[i] = border ? in[i] : 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

struct Grid {
  int width, height;
  double value(int sweeps, int x, int y) const {
    if (sweeps == 0)
      return unit(0, size_t(y) * width + x);
    double own = value(sweeps - 1, x, y);
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
      return own;
    return 0.2 * (own + value(sweeps - 1, x - 1, y) + value(sweeps - 1, x + 1, y) + value(sweeps - 1, x, y - 1) +
                  value(sweeps - 1, x, y + 1));
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Grid grid = {int(program.size(75, 8192)), int(program.size(50, 8000))};
  size_t count = size_t(grid.width) * grid.height;
  float *in = program.allocate_made<float>(count, MakeUnits{0});
  float *once = program.allocate<float>(count), *twice = program.allocate<float>(count);
  dim3 block(32, 8), blocks(divide_up(grid.width, block.x), divide_up(grid.height, block.y));
  program.time([&] {
    sweep<<<blocks, block>>>(in, once, grid.width, grid.height);
    sweep<<<blocks, block>>>(once, twice, grid.width, grid.height);
  });
  return program.finish(program.verify(
      count, [&](size_t i) { return is_close(fetch(twice + i), grid.value(2, i % grid.width, i / grid.width)); }));
}
