/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Allocations after cudaDeviceReset; with an argument, a kernel stores behind one of them.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-use-after-free|heap-buffer-overflow) on cuda device 0
#include <cstdio>
__global__ void fill(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
int main(int argc, char **argv) {
  const int count = 1 << 10;
  for (int round = 0; round < 3; round++) {
    int *memory, last = 0;
    cudaMalloc(&memory, count * sizeof *memory);
    fill<<<count / 256 + 1, 256>>>(memory, count + (argc > 1 && round == 2));
    cudaMemcpy(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d %s\n", last, cudaGetErrorName(cudaGetLastError()));
    cudaDeviceReset();
  }
}
