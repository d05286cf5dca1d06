/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores behind page-locked memory, which is never freed.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of at least [1-8] bytes? at 0x\w+, found at the end of the process
// BUG: A kernel without checks or host code wrote there
// BUG: Of this process's kernels, only this one may have written there:
// BUG: located [0-7] bytes after 8000-byte region
#include <cstdio>
__global__ void fill(double *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i + 0.1;
}
int main(int count, char **) {
  double *memory;
  cudaHostAlloc(&memory, 1000 * sizeof *memory, cudaHostAllocMapped);
  fill<<<8, 128>>>(memory, count > 1 ? 1001 : 1000);
  cudaDeviceSynchronize();
  printf("%g %s\n", memory[999], cudaGetErrorName(cudaGetLastError()));
}
