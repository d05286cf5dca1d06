/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the smallest file of a project: one short kernel and its launch. Its time is the fixed cost of each file:
// the start of the tools and CUDA's headers.
#include <cuda_runtime.h>

__global__ void saxpy(float a, const float *x, float *y, size_t count) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    y[i] = a * x[i] + y[i];
}

// Computes y = a x + y for arrays on the host. Waits for the result.
cudaError_t saxpy_on_device(float a, const float *x, float *y, size_t count) {
  constexpr unsigned threads = 256;
  if (count == 0)
    return cudaSuccess;
  float *device_x = nullptr, *device_y = nullptr;
  cudaError_t error = cudaMalloc(&device_x, count * sizeof(float));
  if (error == cudaSuccess)
    error = cudaMalloc(&device_y, count * sizeof(float));
  if (error == cudaSuccess)
    error = cudaMemcpy(device_x, x, count * sizeof(float), cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = cudaMemcpy(device_y, y, count * sizeof(float), cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    saxpy<<<unsigned((count + threads - 1) / threads), threads>>>(a, device_x, device_y, count);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess)
    error = cudaMemcpy(y, device_y, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_y);
  return error;
}
