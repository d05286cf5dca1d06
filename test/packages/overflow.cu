// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes to an array of 100 elements. With an argument of 101, the last thread writes past the end.
#include <cstdlib>

__global__ void fill(int *array, int count) {
  int i = threadIdx.x;
  if (i < count)
    array[i] = i;
}

int main(int argc, char **argv) {
  int *array;
  cudaMalloc(&array, 100 * sizeof *array);
  fill<<<1, 128>>>(array, argc > 1 ? atoi(argv[1]) : 100);
  return cudaDeviceSynchronize() != cudaSuccess;
}
