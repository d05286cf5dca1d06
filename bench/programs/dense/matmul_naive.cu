/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A matrix product by one thread an element, from global memory.
#include "matmul.h"

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

int main(int argc, char **argv) {
  return multiply(argc, argv, [](const float *a, const float *b, float *c, int n) {
    matmul<<<dim3(divide_up(n, 16), divide_up(n, 16)), dim3(16, 16)>>>(a, b, c, n);
  });
}
