// A loop over a row of 22 numbers in steps of 16, as nvcc unrolls it by four: two bits of the number of rounds choose
// the rounds that come first. No thread reaches some of them, and only threads whose index is below 6 reach the second
// one.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 22 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t 21 2>&1 | FileCheck %s --check-prefix=SHORT
// FINE: launch proof: 1 of 1 launches proven, by 1 evaluations; 1 of 1 kernels in every launch
// FINE: Stats: 0 reports
#include <cstdlib>

__global__ void fill(int *row, int end) {
  int x = threadIdx.x;
  unsigned left = max(x, 6) + 15 - x;
  unsigned first = (left >> 4) + 1 & 3;
  if (x >= end)
    return;
  if (first != 0) {
    row[x] = 1;
    if (first != 1) {
      // SHORT: ERROR: AddressSanitizer: heap-buffer-overflow
      // SHORT: WRITE of size 4
      // SHORT-NEXT: #0 fill(int*, int) {{.*}}peeled.cu:[[#@LINE+3]]:
      // SHORT: located 0 bytes after 84-byte region
      // SHORT: allocated by host thread T0 here:
      row[x + 16] = 2;
      if (first != 2)
        row[x + 32] = 3;
    }
  }
  if (left >= 48)
    row[x + 48] = 4;
}

int main(int, char **argv) {
  int *row, size = atoi(argv[1]) * sizeof *row;
  cudaMalloc(&row, size);
  fill<<<1, 16>>>(row, 22);
  return cudaDeviceSynchronize() != cudaSuccess;
}
