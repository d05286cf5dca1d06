/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>
#include <cuda_runtime.h>

void run(float *data, int n);

int main(int, char **arguments) {
  float *data, first = 0;
  cudaMalloc(reinterpret_cast<void **>(&data), 4000);
  run(data, std::atoi(arguments[1]));
  return cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
}
