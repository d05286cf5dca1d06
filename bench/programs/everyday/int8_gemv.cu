/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Multiplies a matrix of bytes by a vector of bytes; a warp takes a row.
// Stands for loads of char4 at strides of the lanes, with guards for the last columns and rows.
#include "../program.h"

struct Matrix {
  const signed char *bytes;
  int rows, columns, pitch; // pitch: in bytes, a multiple of 4
};

__device__ int sum_warp(int value) {
  for (int mask = warpSize / 2; mask > 0; mask >>= 1)
    value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}

__device__ int dot_row(const signed char *row, const signed char *vector, int columns, int lane) {
  const char4 *row4 = reinterpret_cast<const char4 *>(row);
  const char4 *vector4 = reinterpret_cast<const char4 *>(vector);
  int sum = 0;
  for (int i = lane; i < columns / 4; i += 32)
    sum = __dp4a(row4[i], vector4[i], sum);
  int tail = columns - columns % 4 + lane;
  if (tail < columns)
    sum += (int)row[tail] * (int)vector[tail];
  return sum;
}

__device__ signed char quantize(int sum, float scale) {
  int rounded = __float2int_rn(sum * scale);
  return (signed char)min(max(rounded, -127), 127);
}

__global__ void multiply(Matrix matrix, const signed char *vector, const float *scales, signed char *out, int *sums) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x & (warpSize - 1);
  if (warp >= matrix.rows)
    return;
  int sum = sum_warp(dot_row(matrix.bytes + (size_t)warp * matrix.pitch, vector, matrix.columns, lane));
  if (lane == 0) {
    sums[warp] = sum;
    out[warp] = quantize(sum, scales[warp]);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int rows = program.size(45, 65001), columns = program.size(403, 4099), pitch = (columns + 3) / 4 * 4;
  auto make = [] __host__ __device__(size_t i) { return (signed char)(scramble(i) >> 24); };
  auto make_vector = [=] __host__ __device__(size_t i) { return make(i + (1ull << 44)); };
  auto make_scale = [] __host__ __device__(size_t i) { return 1e-4f * (1 + unit(0, i)); };
  signed char *bytes = program.allocate_made<signed char>(size_t(rows) * pitch, make);
  signed char *vector = program.allocate_made<signed char>(columns, make_vector),
              *out = program.allocate<signed char>(rows);
  float *scales = program.allocate_made<float>(rows, make_scale);
  int *sums = program.allocate<int>(rows);
  Matrix matrix = {bytes, rows, columns, pitch};
  program.time([&] { multiply<<<divide_up(rows, 4), 128>>>(matrix, vector, scales, out, sums); });
  auto check = [&](size_t row) {
    int wanted = 0;
    for (int i = 0; i < columns; i++)
      wanted += make(row * pitch + i) * make_vector(i);
    float scaled = std::min(std::max(wanted * make_scale(row), -127.f), 127.f);
    return fetch(sums + row) == wanted && fabsf(fetch(out + row) - scaled) <= 0.51f;
  };
  return program.finish(program.verify(rows, check, columns));
}
