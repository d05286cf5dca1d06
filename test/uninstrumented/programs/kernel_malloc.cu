/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Kernels allocate and free their own memory. One thread stores behind its memory: into the memory of another thread.
// OPTIONS: instrument=on
// FLAGS: -arch=sm_90
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow on cuda device 0
// BUG: WRITE of size 4 at 0x[0-9a-f]+ by device thread \(5,0,0\) block \(2,0,0\)
// BUG: #0 .*fill_rows.*/kernel_malloc\.cu:19
// BUG: located 0 bytes after 96-byte region
// BUG: allocated by device thread \(5,0,0\) block \(2,0,0\) lane 5 here:\n +#0 .*make_rows.*/kernel_malloc\.cu:13
#include <cstdio>
__global__ void make_rows(int **rows, int count) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  rows[row] = (int *)malloc(count * sizeof(int));
}
__global__ void fill_rows(int **rows, int count, int wrong) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int end = row == wrong ? count + 1 : count;
  for (int i = 0; i < end; i++)
    rows[row][i] = row + i;
}
__global__ void add_rows(int **rows, int count, int *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < count; i++)
    sums[row] += rows[row][i];
  free(rows[row]);
}
int main(int argc, char **argv) {
  const int blocks = 8, threads = 64;
  int **rows, *sums, results[blocks * threads], total = 0;
  cudaMalloc(&rows, blocks * threads * sizeof *rows);
  cudaMalloc(&sums, sizeof results);
  cudaMemset(sums, 0, sizeof results);
  make_rows<<<blocks, threads>>>(rows, 24);
  fill_rows<<<blocks, threads>>>(rows, 24, argc > 1 ? 2 * threads + 5 : -1);
  add_rows<<<blocks, threads>>>(rows, 24, sums);
  cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost);
  for (int i = 0; i < blocks * threads; i++)
    total += results[i];
  printf("%d %s\n", total, cudaGetErrorName(cudaGetLastError()));
}
