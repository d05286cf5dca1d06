/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A second free of the same memory.
// BUG: ERROR: AddressSanitizer: attempting double-free
#include <cstdio>
int main(int argc, char **argv) {
  char *memory;
  cudaMalloc(&memory, 1000);
  cudaFree(memory);
  if (argc > 1)
    cudaFree(memory);
  printf("done\n");
}
