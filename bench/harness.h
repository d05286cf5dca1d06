/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Helpers of the benchmark programs: checked CUDA calls, random inputs, comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}
#define REQUIRE(call) require(call, #call)

struct Random { // Knuth's LCG; the low bits of an LCG are poor
  uint64_t state;
  unsigned next() { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 32; }
};

// A hash. Host and device compute the same inputs with it.
__host__ __device__ inline unsigned scramble(unsigned long long i) {
  i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 29) * 0x94d049bb133111ebu;
  return unsigned(i >> 32);
}

__host__ __device__ inline float scrambled_unit(unsigned long long i) {
  return (scramble(i) >> 8) * 0x1p-24f;
}

template <typename T, typename Make>
__global__ void make_elements(T *elements, size_t count, Make make) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    elements[i] = make(i);
}

inline unsigned divide_up(size_t count, unsigned by) {
  return unsigned((count + by - 1) / by);
}

template <typename T>
T fetch(const T *device) {
  T value;
  REQUIRE(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// Calls check for the first, the last and some other indices below count. Returns whether all are right.
template <typename Check>
bool holds_for_samples(size_t count, Check check) {
  const int samples = 60;
  Random random{count};
  for (int sample = 0; sample < samples; sample++)
    if (!check(sample == 0 ? 0 : sample == 1 ? count - 1 : (random.next() * (1ull << 32) + random.next()) % count))
      return false;
  return true;
}
