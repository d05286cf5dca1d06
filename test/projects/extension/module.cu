/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An extension of Python, by ctypes.
#include <cuda_runtime.h>

__global__ void add_one(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += 1;
}

extern "C" float add_one_to(int elements, int n) {
  float *data, last = -1;
  cudaMalloc(&data, elements * sizeof *data);
  cudaMemset(data, 0, elements * sizeof *data);
  add_one<<<(n + 127) / 128, 128>>>(data, n);
  cudaMemcpy(&last, data + elements - 1, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(data);
  return last;
}
