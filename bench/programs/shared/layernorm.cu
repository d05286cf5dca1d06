/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Layer normalisation: rows get a mean of 0 and a variance of 1, then a scale and a shift a column; a warp takes a row.
#include "../program.h"

constexpr int kWarps = 8;
constexpr float kEpsilon = 1e-5f;

__device__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

__global__ void normalise(const float *in, const float *scale, const float *shift, float *out, int rows, int columns) {
  int row = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
  if (row >= rows)
    return;
  const float *from = in + (size_t)row * columns;
  float *to = out + (size_t)row * columns, sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 32)
    sum += from[i];
  float mean = sum_of_warp(sum) / columns;
  for (int i = lane; i < columns; i += 32)
    squares += (from[i] - mean) * (from[i] - mean);
  float factor = rsqrtf(sum_of_warp(squares) / columns + kEpsilon);
  for (int i = lane; i < columns; i += 32)
    to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int columns = program.size(100, 1024), rows = program.size(30, 65536);
  size_t count = size_t(columns) * rows;
  float *in = program.allocate_made<float>(count, MakeUnits{0}), *out = program.allocate<float>(count);
  float *scale = program.allocate_made<float>(columns, MakeUnits{1}),
        *shift = program.allocate_made<float>(columns, MakeUnits{2});
  program.time([&] { normalise<<<divide_up(rows, kWarps), dim3(32, kWarps)>>>(in, scale, shift, out, rows, columns); });
  auto check = [&](size_t i) {
    double sum = 0, squares = 0;
    size_t begin = i / columns * columns;
    for (size_t j = begin; j < begin + columns; j++)
      sum += unit(0, j);
    for (size_t j = begin; j < begin + columns; j++)
      squares += (unit(0, j) - sum / columns) * (unit(0, j) - sum / columns);
    double normal = (unit(0, i) - sum / columns) / sqrt(squares / columns + kEpsilon);
    return fabs(fetch(out + i) - (normal * unit(1, i % columns) + unit(2, i % columns))) < 1e-3;
  };
  return program.finish(program.verify(count, check, 2 * columns));
}
