/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>

void reverse_on_device(const int *from, int *to, int n);

int main(int, char **arguments) {
  int *from, *to, n = std::atoi(arguments[1]);
  cudaMalloc(&from, 404);
  cudaMalloc(&to, 404);
  cudaMemset(from, 0, 404);
  reverse_on_device(from, to, n);
  return cudaDeviceSynchronize();
}
