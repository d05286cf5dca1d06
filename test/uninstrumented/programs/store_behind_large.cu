/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores one element behind 4 MiB.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: fill\(float\*, int\)<<<
// BUG: main
#include <cstdio>
__global__ void fill(float *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
int main(int argc, char **argv) {
  const int count = 1 << 20;
  float *memory, last;
  cudaMalloc(&memory, count * sizeof *memory);
  fill<<<count / 256 + 1, 256>>>(memory, count + (argc > 1));
  cudaDeviceSynchronize();
  cudaMemcpy(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%g %s\n", last, cudaGetErrorName(cudaGetLastError()));
  cudaFree(memory);
}
