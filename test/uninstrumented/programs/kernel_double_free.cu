/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Kernels allocate and free their own memory. One thread frees another's memory again.
// OPTIONS: instrument=on
// FLAGS: -arch=sm_90
// BUG: ERROR: AddressSanitizer: attempting double-free on 0x[0-9a-f]+ on cuda device 0 in a kernel
// BUG: FREE of 0x[0-9a-f]+ by device thread \(7,0,0\) block \(0,0,0\)
// BUG: freed by device thread \(6,0,0\) block \(0,0,0\)
// BUG: previously allocated by device thread \(6,0,0\) block \(0,0,0\)
#include <cstdio>
__global__ void make_cells(long **cells) {
  cells[threadIdx.x] = new long(threadIdx.x);
}
__global__ void take_cells(long **cells, long *sums) {
  sums[threadIdx.x] += *cells[threadIdx.x];
  delete cells[threadIdx.x];
}
__global__ void take_cell_before(long **cells, int thread) {
  if (threadIdx.x == thread)
    delete cells[threadIdx.x - 1];
}
int main(int argc, char **argv) {
  long **cells, *sums, results[32], total = 0;
  cudaMalloc(&cells, 32 * sizeof *cells);
  cudaMalloc(&sums, sizeof results);
  cudaMemset(sums, 0, sizeof results);
  make_cells<<<1, 32>>>(cells);
  take_cells<<<1, 32>>>(cells, sums);
  if (argc > 1)
    take_cell_before<<<1, 32>>>(cells, 7);
  cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; i++)
    total += results[i];
  printf("%ld %s\n", total, cudaGetErrorName(cudaGetLastError()));
}
