/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A copy of one row too many.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: of row 20
#include <cstdio>
#include <vector>
int main(int argc, char **argv) {
  std::vector<char> host(300 * 21, 5);
  char *memory, last;
  size_t pitch;
  cudaMallocPitch(&memory, &pitch, 300, 20);
  cudaMemset2D(memory, pitch, 1, 300, 20);
  cudaMemcpy2D(memory, pitch, host.data(), 300, 300, 20 + (argc > 1), cudaMemcpyHostToDevice);
  cudaMemcpy2DAsync(host.data(), 300, memory, pitch, 300, 20, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  cudaMemcpy(&last, memory + 19 * pitch + 299, 1, cudaMemcpyDeviceToHost);
  printf("%d %d\n", last, host[5999]);
  cudaFree(memory);
}
