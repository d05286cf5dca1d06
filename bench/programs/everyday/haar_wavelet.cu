/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Several levels of a signal's Haar wavelets: differences of neighbours, then the same for their sums.
// The program stands for dynamic shared memory of twice the block, in which half of the threads go on at each level.
#include "../program.h"

constexpr float kFactor = 0.70710678f;

struct Signal {
  const float *samples;
  float *details, *sums;
  int length;
};

// Level 0's details are the last length / 2 ones, level 1's the length / 4 before them, and so on.
__device__ float *details_of(Signal signal, int level, int active) {
  return signal.details + (signal.length >> (level + 1)) + blockIdx.x * active;
}

__global__ void transform_haar(Signal signal, int levels) {
  extern __shared__ float part[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x * 2;
  part[t] = signal.samples[first + t];
  part[t + blockDim.x] = signal.samples[first + t + blockDim.x];
  __syncthreads();
  int active = blockDim.x;
  for (int level = 0; level < levels; level++) {
    float even = 0, odd = 0;
    if (t < active) {
      even = part[2 * t];
      odd = part[2 * t + 1];
      details_of(signal, level, active)[t] = (even - odd) * kFactor;
    }
    __syncthreads();
    if (t < active)
      part[t] = (even + odd) * kFactor;
    __syncthreads();
    active >>= 1;
  }
  int sums = 2 * blockDim.x >> levels;
  if (t < sums)
    signal.sums[blockIdx.x * sums + t] = part[t];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int threads = program.size(32, 512), levels = program.size(6, 8), blocks = program.size(20, 65536);
  int length = threads * 2 * blocks, sums = length >> levels;
  float *samples = program.allocate_made<float>(length, MakeUnits{0});
  Signal signal = {samples, program.allocate<float>(length), program.allocate<float>(sums), length};
  program.time([&] { transform_haar<<<blocks, threads, 2 * threads * sizeof(float)>>>(signal, levels); });
  // The sum at a level covers 2 << level samples; a detail has the first half's less the second half's.
  auto wanted = [&](int level, size_t i, int sign) {
    double sum = 0;
    for (size_t j = 0; j < 2ul << level; j++)
      sum += (j >> level ? sign : 1) * unit(0, (i << (level + 1)) + j);
    return sum / sqrt(double(2ul << level));
  };
  auto check = [&](size_t i) {
    for (int level = 0; level < levels; level++)
      if (i >= size_t(length) >> (level + 1))
        return fabs(fetch(signal.details + i) - wanted(level, i - (length >> (level + 1)), -1)) < 1e-4;
    return is_close(fetch(signal.sums + i), wanted(levels - 1, i, 1));
  };
  return program.finish(program.verify(length, check, 2 << levels));
}
