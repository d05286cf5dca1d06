/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Softmax of each row; a block takes a row.
#include "../program.h"

constexpr int kThreads = 256;

template <typename Combine>
__device__ float reduce_block(float value, Combine combine) {
  __shared__ float warps[kThreads / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, distance));
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = warps[0];
  for (int warp = 1; warp < kThreads / 32; warp++)
    value = combine(value, warps[warp]);
  return value;
}

__global__ void softmax(const float *in, float *out, int columns) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *result = out + (size_t)blockIdx.x * columns, greatest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads)
    greatest = fmaxf(greatest, row[i]);
  greatest = reduce_block(greatest, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < columns; i += kThreads)
    sum += expf(row[i] - greatest);
  sum = reduce_block(sum, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < columns; i += kThreads)
    result[i] = expf(row[i] - greatest) / sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int columns = program.size(300, 4000), rows = program.size(20, 16384);
  size_t count = size_t(columns) * rows;
  float *out = program.allocate<float>(count);
  auto make = [] __host__ __device__(size_t i) { return 10 * unit(0, i); };
  float *in = program.allocate_made<float>(count, make);
  program.time([&] { softmax<<<rows, kThreads>>>(in, out, columns); });
  auto check = [&](size_t i) {
    double sum = 0;
    for (size_t j = i / columns * columns; j < (i / columns + 1) * columns; j++)
      sum += exp(double(make(j)));
    return is_close(fetch(out + i), exp(double(make(i))) / sum, 1e-3);
  };
  return program.finish(program.verify(count, check, columns));
}
