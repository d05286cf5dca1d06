/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" int fill_numbers(int *data, int n);

int main(int, char **arguments) {
  int *data;
  cudaMalloc(reinterpret_cast<void **>(&data), 400);
  return fill_numbers(data, std::atoi(arguments[1]));
}
