/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A product of matrices with two tiles in dynamic shared memory.
#include <cstdlib>

#ifdef FIXED
constexpr int kShift = 0;
#else
constexpr int kShift = 1;
#endif

__global__ void matmul(const float *A, const float *B, float *C, int n, int tile) {
  extern __shared__ float memory[];
  float *a = memory;
  float *b = memory + tile * tile;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int t = 0; t < (n + tile - 1) / tile; t++) {
    const int k = t * tile;
    a[y * tile + x + kShift] = row < n && k + x < n ? A[row * n + k + x] : 0;         // BUG
    b[y * tile + x + kShift] = column < n && k + y < n ? B[(k + y) * n + column] : 0; // BUG
    __syncthreads();
    for (int i = 0; i < tile; i++)
      sum += a[y * tile + i + kShift]    // BUG
             * b[i * tile + x + kShift]; // BUG
    __syncthreads();
  }
  if (row < n && column < n)
    C[row * n + column] = sum;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int n = atoi(argv[1]), tile = atoi(argv[2]) > 16 ? 32 : 8;
  if (n < 1 || n > 8192)
    return 2;
  float *A, *B, *C;
  cudaMalloc(&A, sizeof(float) * n * n);
  cudaMalloc(&B, sizeof(float) * n * n);
  cudaMalloc(&C, sizeof(float) * n * n);
  dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  matmul<<<grid, dim3(tile, tile), 2 * tile * tile * sizeof(float)>>>(A, B, C, n, tile);
  cudaDeviceSynchronize();
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
