// Kernels that carve two arrays out of dynamic shared memory, and a main function that launches them.
#ifndef GASAN_TEST_SILENCE_CARVED_H
#define GASAN_TEST_SILENCE_CARVED_H

#include "../../cpu/inputs/buffer.h"
#include <cstring>

#define REGION extern __shared__ __align__(16) int memory[]
#define EACH(i, count) for (int i = threadIdx.x; i < (count); i += blockDim.x)
constexpr int kThreads = 64;

inline __device__ int sum_of(const int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}

// A kernel, with the number of elements of the first array (n) and of both (m).
struct Kernel {
  const char *name;
  void (*launch)(int *out, int n, int m);
  int n, m;
};
#define KERNEL(name, n, m) {#name, name, n, m}

// Launches one block of each kernel, or of the one called `only`, with 160 ints of shared memory. Returns the exit
// status.
template <size_t kCount>
int launch_kernels(const Kernel (&kernels)[kCount], const char *only) {
  Buffer<int> out(kThreads);
  for (const Kernel &kernel : kernels)
    if (!only || !strcmp(kernel.name, only)) {
      kernel.launch<<<1, kThreads, 160 * sizeof(int)>>>(out, kernel.n, kernel.m);
      CUDA(cudaDeviceSynchronize());
    }
  return passed();
}

#endif
