/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A copy reads 4 bytes behind the allocation.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: READ of size 404
// BUG: located 0 bytes after 400-byte region
// BUG: cuMemAlloc
#include <cstdio>
#include <vector>
int main(int argc, char **argv) {
  std::vector<int> host(101);
  int *memory;
  cudaMalloc(&memory, 400);
  cudaMemset(memory, 0, 400);
  cudaMemcpy(host.data(), memory, 400 + 4 * (argc > 1), cudaMemcpyDeviceToHost);
  printf("%d\n", host[99]);
  cudaFree(memory);
}
