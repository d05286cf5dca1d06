/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Copies the upper triangle of a square matrix to the lower one, after Kaldi. Correct.
#include <cstdlib>

__global__ void copy(float *A, int rows, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (j <= i || j >= rows)
    return;
  A[j * stride + i] = A[i * stride + j];
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int rows = atoi(argv[1]), padding = atoi(argv[2]);
  if (rows < 1 || rows > 8192 || padding < 0 || padding > 64)
    return 2;
  const int stride = rows + padding;
  float *A;
  cudaMalloc(&A, sizeof(float) * rows * stride);
  dim3 block(16, 16), grid((rows + 15) / 16, (rows + 15) / 16);
  copy<<<grid, block>>>(A, rows, stride);
  cudaDeviceSynchronize();
  cudaFree(A);
}
