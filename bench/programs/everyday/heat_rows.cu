/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Heat that spreads on a plate: each cell exchanges heat with those of its four neighbours that exist.
// The program stands for a stencil in one flat index, i / n and i % n of an unsigned, and an if for each border.
#include "../program.h"

__device__ float flow(float from, float to, float rate) {
  return rate * (from - to);
}

__global__ void spread_heat(const float *before, float *after, unsigned n, unsigned rows, float rate) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = i / n, column = i % n;
  if (row < rows) {
    float own = before[i], gain = 0;
    if (column > 0)
      gain += flow(before[i - 1], own, rate);
    if (column < n - 1)
      gain += flow(before[i + 1], own, rate);
    if (row != 0)
      gain += flow(before[i - n], own, rate);
    if (row + 1 != rows)
      gain += flow(before[i + n], own, rate);
    after[i] = own + gain;
  }
}

// The plate's upper edge stays hot.
__global__ void heat_edge(float *cells, const float *edge, unsigned n) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n)
    return;
  cells[column] = edge[column];
}

struct Plate {
  unsigned n, rows;
  float rate;

  double heat(int steps, unsigned row, unsigned column) const {
    if (row == 0 && steps > 0)
      return 4 * unit(1, column);
    double own = unit(0, size_t(row) * n + column), gain = 0;
    if (steps == 0)
      return own;
    own = heat(steps - 1, row, column);
    gain += column > 0 ? heat(steps - 1, row, column - 1) - own : 0;
    gain += column + 1 < n ? heat(steps - 1, row, column + 1) - own : 0;
    gain += row > 0 ? heat(steps - 1, row - 1, column) - own : 0;
    gain += row + 1 < rows ? heat(steps - 1, row + 1, column) - own : 0;
    return own + rate * gain;
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Plate plate = {unsigned(program.size(77, 8200)), unsigned(program.size(45, 8000)), 0.2f};
  size_t count = size_t(plate.n) * plate.rows;
  float *start = program.allocate_made<float>(count, MakeUnits{0});
  float *edge = program.allocate_made<float>(plate.n, [] __host__ __device__(size_t i) { return 4 * unit(1, i); });
  float *odd = program.allocate<float>(count), *even = program.allocate<float>(count);
  program.time([&] {
    spread_heat<<<divide_up(count, 192), 192>>>(start, odd, plate.n, plate.rows, plate.rate);
    heat_edge<<<divide_up(plate.n, 192), 192>>>(odd, edge, plate.n);
    spread_heat<<<divide_up(count, 192), 192>>>(odd, even, plate.n, plate.rows, plate.rate);
    heat_edge<<<divide_up(plate.n, 192), 192>>>(even, edge, plate.n);
  });
  return program.finish(program.verify(
      count, [&](size_t i) { return is_close(fetch(even + i), plate.heat(2, i / plate.n, i % plate.n)); }));
}
