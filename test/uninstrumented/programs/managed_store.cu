/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores behind managed memory, which kernels and the host use in turns.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of at least [1-4] bytes? at 0x\w+, found when the memory was freed
// BUG: Of this process's kernels, only this one may have written there:
// BUG: add\(int\*, int\)<<<8, 128>>>
// BUG: located [0-3] bytes after 4000-byte region
// BUG: in cuMemAllocManaged
#include <cstdio>
__global__ void add(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] += i;
}
int main(int count, char **) {
  int *memory;
  cudaMallocManaged(&memory, 1000 * sizeof *memory);
  for (int i = 0; i < 1000; i++)
    memory[i] = 1;
  add<<<8, 128>>>(memory, count > 1 ? 1001 : 1000);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += memory[i];
  printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
  cudaFree(memory);
}
