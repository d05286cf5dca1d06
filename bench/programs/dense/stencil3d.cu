/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A stencil of seven points in space. Each thread goes up a column, and keeps its own column's values in registers.
#include "../program.h"

__global__ void stencil(const float *in, float *out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  int plane = nx * ny, i = plane + y * nx + x;
  float below = in[i - plane], here = in[i];
  for (int z = 1; z < nz - 1; z++, i += plane) {
    float above = in[i + plane];
    out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    below = here;
    here = above;
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int nx = program.size(34, 512), ny = program.size(20, 400), nz = program.size(9, 384);
  size_t plane = size_t(nx) * ny, count = plane * nz;
  float *in = program.allocate_made<float>(count, MakeUnits{0}), *out = program.allocate<float>(count);
  program.time([&] { REQUIRE(cudaMemset(out, 0xff, count * sizeof(float))); },
               [&] { stencil<<<dim3(divide_up(nx, 32), divide_up(ny, 8)), dim3(32, 8)>>>(in, out, nx, ny, nz); });
  auto check = [&](size_t i) {
    int x = i % nx, y = i / nx % ny, z = i / plane;
    float actual = fetch(out + i);
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
      return actual != actual; // untouched
    auto at = [&](size_t j) -> double { return unit(0, j); };
    double others = at(i - plane) + at(i + plane) + at(i - 1) + at(i + 1) + at(i - nx) + at(i + nx);
    return is_close(actual, 0.4 * at(i) + 0.1 * others);
  };
  return program.finish(program.verify(count, check));
}
