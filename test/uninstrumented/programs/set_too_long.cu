/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A set writes one byte behind the allocation.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of size 1001
#include <cstdio>
int main(int argc, char **argv) {
  char *memory, last;
  cudaMalloc(&memory, 1000);
  cudaMemset(memory, 7, 1000 + (argc > 1));
  cudaMemcpy(&last, memory + 999, 1, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(memory);
}
