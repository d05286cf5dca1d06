/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel loads one element behind 4 KiB.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: sum\(int const\*, int, int\*\)<<<
#include <cstdio>
__global__ void sum(const int *from, int count, int *to) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    atomicAdd(to, from[i]);
}
int main(int argc, char **argv) {
  int host[1024], result = 0, *memory, *total;
  for (int i = 0; i < 1024; i++)
    host[i] = i;
  cudaMalloc(&memory, sizeof host);
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  sum<<<1, 128>>>(memory, 1024 + (argc > 1), total);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(memory);
  cudaFree(total);
}
