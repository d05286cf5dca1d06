/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores between the allocation's end and its alignment.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of at least [1-4] bytes? at 0x\w+, found between launches
// BUG: Only this kernel may have written there:\nfill\(int\*, int\)<<<1, 128>>>
// BUG: located [0-3] bytes after 4000-byte region
// BUG: cuMemAlloc
#include <cstdio>
__global__ void fill(int *to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i] = i;
}
int main(int argc, char **argv) {
  int *memory, last;
  cudaMalloc(&memory, 1000 * sizeof *memory);
  fill<<<1, 128>>>(memory, 1000 + (argc > 1));
  cudaMemcpy(&last, memory + 999, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(memory);
}
