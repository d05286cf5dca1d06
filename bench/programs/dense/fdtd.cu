/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finite differences in the time domain (Maxwell's equations on a plane, as Polybench's fdtd-2d): two steps of three
// kernels.
#include "../program.h"

constexpr int kSteps = 2;

__global__ void step_ey(float *ey, const float *hz, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < nx && y < ny)
    ey[y * nx + x] -= 0.5f * (hz[y * nx + x] - hz[y * nx + x - 1]);
}

__global__ void step_ex(float *ex, const float *hz, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= 1 && x < nx && y < ny)
    ex[y * nx + x] -= 0.5f * (hz[y * nx + x] - hz[(y - 1) * nx + x]);
}

__global__ void step_hz(const float *ex, const float *ey, float *hz, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx - 1 && y < ny - 1)
    hz[y * nx + x] -= 0.7f * (ey[y * nx + x + 1] - ey[y * nx + x] + ex[(y + 1) * nx + x] - ex[y * nx + x]);
}

struct Field {
  int nx, ny;
  double ex(int step, int x, int y) const {
    if (step == 0)
      return unit(0, size_t(y) * nx + x);
    return ex(step - 1, x, y) - (y >= 1 ? 0.5 * (hz(step - 1, x, y) - hz(step - 1, x, y - 1)) : 0);
  }
  double ey(int step, int x, int y) const {
    if (step == 0)
      return unit(1, size_t(y) * nx + x);
    return ey(step - 1, x, y) - (x >= 1 ? 0.5 * (hz(step - 1, x, y) - hz(step - 1, x - 1, y)) : 0);
  }
  double hz(int step, int x, int y) const {
    if (step == 0)
      return unit(2, size_t(y) * nx + x);
    double before = hz(step - 1, x, y);
    if (x >= nx - 1 || y >= ny - 1)
      return before;
    return before - 0.7 * (ey(step, x + 1, y) - ey(step, x, y) + ex(step, x, y + 1) - ex(step, x, y));
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Field field = {int(program.size(75, 6144)), int(program.size(50, 6000))};
  int nx = field.nx, ny = field.ny;
  size_t count = size_t(nx) * ny;
  float *ex = program.allocate<float>(count), *ey = program.allocate<float>(count),
        *hz = program.allocate<float>(count);
  dim3 block(32, 8), blocks(divide_up(nx, block.x), divide_up(ny, block.y));
  auto reset = [&] {
    Program::fill(ex, count, MakeUnits{0});
    Program::fill(ey, count, MakeUnits{1});
    Program::fill(hz, count, MakeUnits{2});
  };
  program.time(reset, [&] {
    for (int step = 0; step < kSteps; step++) {
      step_ey<<<blocks, block>>>(ey, hz, nx, ny);
      step_ex<<<blocks, block>>>(ex, hz, nx, ny);
      step_hz<<<blocks, block>>>(ex, ey, hz, nx, ny);
    }
  });
  auto check = [&](size_t i) { return fabs(fetch(hz + i) - field.hz(kSteps, i % nx, i / nx)) < 1e-4; };
  return program.finish(program.verify(count, check, 100));
}
