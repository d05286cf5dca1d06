/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores in front of its allocation; nobody frees the memory.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: found between launches
// BUG: Only this kernel may have written there
// BUG: located [1-4] bytes before 4096-byte region
#include <cstdio>
__global__ void shift(int *to, int count, int by) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i - by] = i;
}
int main(int argc, char **argv) {
  int *memory, first;
  cudaMalloc(&memory, 1024 * sizeof *memory);
  shift<<<1, 128>>>(memory, 1024, argc > 1);
  cudaMemcpy(&first, memory + 5, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d\n", first - (argc > 1));
}
