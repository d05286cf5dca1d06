/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "steps.h"
#include <cstdlib>

#if __CUDACC_VER_MAJOR__ < 12 || !defined(__CUDACC_EXTENDED_LAMBDA__)
#error this is not nvcc
#endif

template <typename F>
__global__ void for_each(int n, F function) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    function(i);
}

int main(int, char **arguments) {
  int *steps, *sums, n = min(std::atoi(arguments[1]), 1000);
  cudaMalloc(&steps, 400);
  cudaMalloc(&sums, 4000);
  cudaMemset(steps, 0, 400);
  for_each<<<4, 256>>>(n, [=] __device__(int i) { __stcs(sums + i, step_of(steps, i)); });
  return cudaDeviceSynchronize();
}
