/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Aligns two sequences along the diagonals of a table, after Rodinia. Correct: the size is a multiple of the tile.
#include <cstdlib>

constexpr int kTile = 16;

__global__ void align(const int *reference, int *table, int columns, int penalty, int diagonal) {
  __shared__ int part[kTile + 1][kTile + 1], scores[kTile][kTile];
  const int block = blockIdx.x, x = threadIdx.x, row = diagonal - 1 - block;
  const int corner = columns * kTile * row + kTile * block;
  for (int y = 0; y < kTile; y++)
    scores[y][x] = reference[corner + columns * (y + 1) + x + 1];
  if (x == 0)
    part[0][0] = table[corner];
  part[x + 1][0] = table[corner + columns * (x + 1)];
  part[0][x + 1] = table[corner + x + 1];
  __syncthreads();
  for (int m = 0; m < kTile; m++) {
    if (x <= m) {
      int column = x + 1, line = m - x + 1;
      part[line][column] = max(part[line - 1][column - 1] + scores[line - 1][column - 1],
                               max(part[line][column - 1], part[line - 1][column]) - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < kTile; y++)
    table[corner + columns * (y + 1) + x + 1] = part[y + 1][x + 1];
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const int tiles = atoi(argv[1]);
  if (tiles < 1 || tiles > 256)
    return 2;
  const int columns = tiles * kTile + 1;
  int *reference, *table;
  cudaMalloc(&reference, sizeof(int) * columns * columns);
  cudaMalloc(&table, sizeof(int) * columns * columns);
  for (int i = 1; i <= tiles; i++)
    align<<<i, kTile>>>(reference, table, columns, 10, i);
  cudaDeviceSynchronize();
  cudaFree(reference);
  cudaFree(table);
}
