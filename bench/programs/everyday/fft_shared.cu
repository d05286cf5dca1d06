/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The Fourier transform of each row of complex numbers, by Stockham's steps of radix 2; a block takes a row.
// The program stands for two buffers in shared memory that swap roles, and for a table in constant memory.
#include "../program.h"

constexpr int kMost = 1024;

__constant__ float2 twiddles[kMost / 2];

__device__ float2 multiply(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ void step(const float2 *from, float2 *to, int t, int half, int n) {
  int k = t & (half - 1);
  float2 even = from[t], odd = multiply(from[t + n / 2], twiddles[k * (kMost / 2 / half)]);
  int at = 2 * (t - k) + k;
  to[at] = make_float2(even.x + odd.x, even.y + odd.y);
  to[at + half] = make_float2(even.x - odd.x, even.y - odd.y);
}

// n: a power of two, up to kMost. A block has n / 2 threads.
__global__ void transform_fourier(const float2 *in, float2 *out, int n) {
  __shared__ float2 buffers[2][kMost];
  const int t = threadIdx.x;
  in += (size_t)blockIdx.x * n;
  out += (size_t)blockIdx.x * n;
  buffers[0][t] = in[t];
  buffers[0][t + n / 2] = in[t + n / 2];
  __syncthreads();
  int current = 0;
  for (int half = 1; half < n; half *= 2) {
    step(buffers[current], buffers[1 - current], t, half, n);
    current = 1 - current;
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    out[i] = buffers[current][i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const double turn = 2 * 3.14159265358979323846;
  int n = program.size(128, 1024), rows = program.size(20, 32768);
  size_t count = size_t(rows) * n;
  auto make = [] __host__ __device__(size_t i) { return make_float2(unit(0, i) - 0.5f, unit(1, i) - 0.5f); };
  float2 *in = program.allocate_made<float2>(count, make), *out = program.allocate<float2>(count);
  float2 host_twiddles[kMost / 2];
  for (int i = 0; i < kMost / 2; i++)
    host_twiddles[i] = make_float2(cos(-turn * i / kMost), sin(-turn * i / kMost));
  REQUIRE(cudaMemcpyToSymbol(twiddles, host_twiddles, sizeof host_twiddles));
  program.time([&] { transform_fourier<<<rows, n / 2>>>(in, out, n); });
  auto check = [&](size_t i) {
    size_t begin = i / n * n;
    double real = 0, imaginary = 0;
    for (int j = 0; j < n; j++) {
      double angle = -turn * (j * (i % n) % n) / n;
      float2 value = make(begin + j);
      real += value.x * cos(angle) - value.y * sin(angle);
      imaginary += value.x * sin(angle) + value.y * cos(angle);
    }
    float2 found = fetch(out + i);
    return fabs(found.x - real) < 1e-3 && fabs(found.y - imaginary) < 1e-3;
  };
  return program.finish(program.verify(count, check, n));
}
