/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
__device__ float half_of(float value);

__global__ void halve(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = half_of(data[i]);
}

void run(float *data, int n) {
  halve<<<(n + 255) / 256, 256>>>(data, n);
}
