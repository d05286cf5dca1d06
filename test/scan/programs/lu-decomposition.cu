/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The first step of a blocked LU decomposition, after Rodinia's lud: correct only if the matrix's size is a multiple of
// the tile.
#include <cstdlib>

constexpr int kTile = 16;

__global__ void diagonal(float *m, int size, int offset) {
  __shared__ float tile[kTile][kTile];
  int at = offset * size + offset;
  for (int i = 0; i < kTile; i++) {
    tile[i][threadIdx.x] = m[at + threadIdx.x]; // BUG
    at += size;
  }
  __syncthreads();
  for (int i = 0; i < kTile - 1; i++) {
    if (threadIdx.x > i) {
      for (int j = 0; j < i; j++)
        tile[threadIdx.x][i] -= tile[threadIdx.x][j] * tile[j][i];
      tile[threadIdx.x][i] /= tile[i][i];
    }
    __syncthreads();
  }
  at = (offset + 1) * size + offset;
  for (int i = 1; i < kTile; i++) {
    m[at + threadIdx.x] = tile[i][threadIdx.x]; // BUG
    at += size;
  }
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const int size = atoi(argv[1]);
  if (size < 1 || size > 4096)
    return 2;
#ifdef FIXED
  if (size < kTile)
    return 2;
#endif
  float *m;
  cudaMalloc(&m, sizeof(float) * size * size);
  cudaMemset(m, 0, sizeof(float) * size * size);
  diagonal<<<1, kTile>>>(m, size, 0);
  cudaDeviceSynchronize();
  cudaFree(m);
}
