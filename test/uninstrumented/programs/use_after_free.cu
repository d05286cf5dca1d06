/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores into freed memory.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-use-after-free) on cuda device 0
// BUG: twice\(int\*\)<<<
#include <cstdio>
__global__ void twice(int *values) {
  values[threadIdx.x] *= 2;
}
int main(int argc, char **argv) {
  int *memory, last = 0;
  cudaMalloc(&memory, 256 * sizeof *memory);
  cudaMemset(memory, 1, 256 * sizeof *memory);
  twice<<<1, 256>>>(memory);
  cudaMemcpy(&last, memory + 255, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  if (argc > 1)
    twice<<<1, 256>>>(memory);
  cudaDeviceSynchronize();
  printf("%d\n", last);
}
