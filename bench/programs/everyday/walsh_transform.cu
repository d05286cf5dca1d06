/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The Walsh transform of long rows: far steps of radix 4 in global memory, the near ones in shared memory.
// The program stands for in-place butterflies whose distances shrink, in dynamic shared memory of 1 << log2n elements.
#include "../program.h"

__device__ void butterfly(float &low, float &high) {
  float sum = low + high, difference = low - high;
  low = sum;
  high = difference;
}

// Two steps, of distances 2 * stride and stride. grid.y: the rows.
__global__ void far_steps(float *data, int n, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 4)
    return;
  float *row = data + (size_t)blockIdx.y * n;
  int low = t & (stride - 1);
  int i0 = ((t - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
  float a = row[i0], b = row[i1], c = row[i2], d = row[i3];
  butterfly(a, c);
  butterfly(b, d);
  butterfly(a, b);
  butterfly(c, d);
  row[i0] = a;
  row[i1] = b;
  row[i2] = c;
  row[i3] = d;
}

__global__ void near_steps(const float *in, float *out, int log2n) {
  extern __shared__ float tile[];
  const int n = 1 << log2n;
  const size_t base = (size_t)blockIdx.x << log2n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    tile[i] = in[base + i];
  for (int stride = n >> 1; stride >= 1; stride >>= 1) {
    __syncthreads();
    for (int pair = threadIdx.x; pair < n / 2; pair += blockDim.x) {
      int low = pair & (stride - 1), i = 2 * pair - low;
      butterfly(tile[i], tile[i + stride]);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[base + i] = tile[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int log2n = program.size(9, 14), log2_tile = program.size(5, 12), rows = program.size(6, 4096);
  int n = 1 << log2n, threads = program.size(16, 512);
  size_t count = size_t(rows) << log2n;
  float *data = program.allocate<float>(count), *out = program.allocate<float>(count);
  program.time([&] { Program::fill(data, count, MakeUnits{0}); },
               [&] {
                 int log2_part = log2n;
                 for (; log2_part > log2_tile; log2_part -= 2)
                   far_steps<<<dim3(divide_up(n / 4, threads), rows), threads>>>(data, n, 1 << (log2_part - 2));
                 unsigned tiles = count >> log2_part, shared = sizeof(float) << log2_part;
                 near_steps<<<tiles, threads, shared>>>(data, out, log2_part);
               });
  auto check = [&](size_t i) {
    size_t begin = i >> log2n << log2n;
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += __builtin_parity(j & i) ? -unit(0, begin + j) : unit(0, begin + j);
    return fabs(fetch(out + i) - sum) < 1e-2;
  };
  return program.finish(program.verify(count, check, n));
}
