/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Rows divided by the root of the mean of their squares, then scaled by a weight a column; a block takes a row.
// The program stands for float4 loads from rows with a pitch in bytes, and for partial sums in dynamic shared memory.
#include "../program.h"

__device__ float dot(float4 a) {
  return a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
}

__device__ float4 scale(float4 a, float4 by, float factor) {
  return make_float4(a.x * by.x * factor, a.y * by.y * factor, a.z * by.z * factor, a.w * by.w * factor);
}

// Returns the sum of all threads' values. partial: a float a warp.
__device__ float sum_of_block(float value, float *partial) {
  for (int mask = warpSize / 2; mask > 0; mask >>= 1)
    value += __shfl_xor_sync(0xffffffff, value, mask);
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, warps = (blockDim.x + 31) >> 5;
  if (lane == 0)
    partial[warp] = value;
  __syncthreads();
  value = lane < warps ? partial[lane] : 0.0f;
  for (int mask = 16; mask > 0; mask >>= 1)
    value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}

__global__ void normalise_rows(const void *in, const float *weights, void *out, int columns, size_t pitch,
                               float epsilon) {
  extern __shared__ float partial[];
  const float4 *from = (const float4 *)((const char *)in + blockIdx.x * pitch);
  float4 *to = reinterpret_cast<float4 *>(static_cast<char *>(out) + blockIdx.x * pitch);
  const int vectors = columns / 4;
  float squares = 0;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x)
    squares += dot(from[i]);
  float factor = rsqrtf(sum_of_block(squares, partial) / columns + epsilon);
  const float4 *by = (const float4 *)weights;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x)
    to[i] = scale(from[i], by[i], factor);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const float epsilon = 1e-5f;
  int columns = program.size(332, 4100), rows = program.size(20, 8192), threads = program.size(64, 256);
  size_t pitch = (columns * sizeof(float) + 255) / 256 * 256, row_size = pitch / sizeof(float);
  float *in = program.allocate_made<float>(rows * row_size, MakeUnits{0});
  float *out = program.allocate<float>(rows * row_size);
  float *weights = program.allocate_made<float>(columns, MakeUnits{1});
  size_t shared = (threads + 31) / 32 * sizeof(float);
  program.time([&] { normalise_rows<<<rows, threads, shared>>>(in, weights, out, columns, pitch, epsilon); });
  auto check = [&](size_t i) {
    size_t begin = i / columns * row_size, column = i % columns;
    double squares = 0;
    for (int j = 0; j < columns; j++)
      squares += double(unit(0, begin + j)) * unit(0, begin + j);
    return is_close(fetch(out + begin + column),
                    unit(0, begin + column) / sqrt(squares / columns + epsilon) * unit(1, column));
  };
  return program.finish(program.verify(size_t(rows) * columns, check, columns));
}
