/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The Hadamard transform of each row, in registers, by shuffles, and after an exchange between warps.
// The program stands for accesses of 16 bytes through char pointers, and for swizzled places in dynamic shared memory.
#include "../program.h"

constexpr int kBytes = 16;

struct Rows {
  const char *in;
  char *out;
  long long batch_stride; // in bytes
  int columns;            // a multiple of 4; missing columns up to 4 * blockDim.x are 0
};

__device__ float4 combine(float4 v) {
  float a = v.x + v.y, b = v.x - v.y, c = v.z + v.w, d = v.z - v.w;
  return make_float4(a + c, b + d, a - c, b - d);
}

__device__ float4 combine_lanes(float4 v, int distances) {
  for (int distance = 1; distance < distances; distance *= 2) {
    float sign = threadIdx.x & distance ? -1.0f : 1.0f;
    v.x = sign * v.x + __shfl_xor_sync(0xffffffff, v.x, distance);
    v.y = sign * v.y + __shfl_xor_sync(0xffffffff, v.y, distance);
    v.z = sign * v.z + __shfl_xor_sync(0xffffffff, v.z, distance);
    v.w = sign * v.w + __shfl_xor_sync(0xffffffff, v.w, distance);
  }
  return v;
}

__device__ float4 *place(char *exchange, int warp, int lane) {
  return reinterpret_cast<float4 *>(exchange + (warp * 32 + (lane ^ warp)) * kBytes);
}

__global__ void transform_rows(Rows rows) {
  extern __shared__ __align__(kBytes) char exchange[];
  const char *from = rows.in + blockIdx.x * rows.batch_stride;
  char *to = rows.out + blockIdx.x * rows.batch_stride;
  int t = threadIdx.x, warps = blockDim.x / 32;
  float4 v = make_float4(0, 0, 0, 0);
  if (t * 4 < rows.columns)
    v = *(const float4 *)(from + t * kBytes);
  v = combine_lanes(combine(v), 32);
  // Neighbouring threads get the values of neighbouring warps, and give them back.
  *place(exchange, t / 32, t % 32) = v;
  __syncthreads();
  v = combine_lanes(*place(exchange, t % warps, t / warps), warps);
  *place(exchange, t % warps, t / warps) = v;
  __syncthreads();
  v = *place(exchange, t / 32, t % 32);
  if (t * 4 < rows.columns)
    *(float4 *)(to + t * kBytes) = v;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int columns = program.size(500, 2000), count = program.size(20, 16384), threads = program.size(128, 512);
  size_t row_size = columns + program.size(12, 48);
  float *in = program.allocate_made<float>(count * row_size, MakeUnits{0});
  float *out = program.allocate<float>(count * row_size);
  Rows rows = {(const char *)in, (char *)out, (long long)(row_size * sizeof(float)), columns};
  program.time([&] { transform_rows<<<count, threads, threads * kBytes>>>(rows); });
  auto check = [&](size_t i) {
    size_t begin = i / columns * row_size, column = i % columns;
    double sum = 0;
    for (int j = 0; j < columns; j++)
      sum += __builtin_parity(j & column) ? -unit(0, begin + j) : unit(0, begin + j);
    return fabs(fetch(out + begin + column) - sum) < 2e-3;
  };
  return program.finish(program.verify(size_t(count) * columns, check, columns));
}
