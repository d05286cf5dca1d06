/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Temperatures of an n x n chip as Rodinia's hotspot: a five-point stencil on temperature and power, two steps.
#include "footprint.h"

constexpr int kTile = 16, kSteps = 2;
constexpr float kStep = 0.05f, kAmbient = 80;

struct MakeTemperature {
  __host__ __device__ float operator()(size_t i) const { return 320 + 10 * scrambled_unit(i); }
};
struct MakePower {
  __host__ __device__ float operator()(size_t i) const { return scrambled_unit(i + (1ull << 40)); }
};

__global__ void simulate(const float *power, const float *from, float *to, int n) {
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= n || y >= n)
    return;
  auto at = [&](int x, int y) { return from[size_t(min(max(y, 0), n - 1)) * n + min(max(x, 0), n - 1)]; };
  float here = at(x, y), around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
  size_t i = size_t(y) * n + x;
  to[i] = here + kStep * (power[i] + around - 4 * here + 0.1f * (kAmbient - here));
}

static double expected(int n, int x, int y, int steps) {
  x = std::min(std::max(x, 0), n - 1), y = std::min(std::max(y, 0), n - 1);
  size_t i = size_t(y) * n + x;
  if (steps == 0)
    return MakeTemperature()(i);
  double here = expected(n, x, y, steps - 1);
  double around = expected(n, x - 1, y, steps - 1) + expected(n, x + 1, y, steps - 1) +
                  expected(n, x, y - 1, steps - 1) + expected(n, x, y + 1, steps - 1);
  return here + kStep * (MakePower()(i) + around - 4 * here + 0.1f * (kAmbient - here));
}

int main(int argc, char **argv) {
  Footprint run("hotspot", argc, argv, 50, 512, 6000);
  int n = run.n;
  size_t cells = size_t(n) * n;
  float *temperature[2] = {run.allocate_made<float>(cells, MakeTemperature()), run.allocate<float>(cells)};
  float *power = run.allocate_made<float>(cells, MakePower());
  for (int step = 0; step < kSteps; step++) {
    dim3 blocks(divide_up(n, kTile), divide_up(n, kTile));
    simulate<<<blocks, dim3(kTile, kTile)>>>(power, temperature[step % 2], temperature[(step + 1) % 2], n);
    run.launched();
  }
  return run.finish(holds_for_samples(cells, [&](size_t i) {
    return fabs(fetch(temperature[kSteps % 2] + i) - expected(n, int(i % n), int(i / n), kSteps)) <= 1e-3;
  }));
}
