/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Copies a matrix into one with another stride, perhaps transposed, after Kaldi. Correct.
#include <cstdlib>

template <bool Transposed>
__global__ void copy(float *to, const double *from, int rows, int columns, int to_stride, int from_stride) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= columns || row >= rows)
    return;
  if (Transposed)
    to[column + row * to_stride] = float(from[row + column * from_stride]);
  else
    to[column + row * to_stride] = float(from[column + row * from_stride]);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const int rows = atoi(argv[1]), columns = atoi(argv[2]);
  const bool transposed = atoi(argv[3]) != 0;
  if (rows < 1 || rows > 8192 || columns < 1 || columns > 8192)
    return 2;
  const int to_stride = columns + 3, from_stride = (transposed ? rows : columns) + 5;
  float *to;
  double *from;
  cudaMalloc(&to, sizeof(float) * rows * to_stride);
  cudaMalloc(&from, sizeof(double) * (transposed ? columns : rows) * from_stride);
  dim3 block(32, 8), grid((columns + 31) / 32, (rows + 7) / 8);
  if (transposed)
    copy<true><<<grid, block>>>(to, from, rows, columns, to_stride, from_stride);
  else
    copy<false><<<grid, block>>>(to, from, rows, columns, to_stride, from_stride);
  cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(from);
}
