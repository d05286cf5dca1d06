// A variant gets the limit of an argument's object, which is 0 for a misaligned pointer: each access through it is
// reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2 2>&1 | FileCheck %s
// RUN: not %run %t 1 2>&1 | FileCheck %s
// RUN: %run %t 0 2>&1 >/dev/null | %silent
// RUN: %run %t 4 2>&1 >/dev/null | %silent
#include <cstdlib>

__global__ void gather(int *to, const int *from, const long *rows, const long *columns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: ERROR: AddressSanitizer: misaligned-access
  // CHECK: READ of size 4
  // CHECK-NEXT: #0 gather(int*, int const*, long const*, long const*, int) {{.*}}misaligned-argument.cu:[[#@LINE+2]]:
  if (i < n)
    to[i] = from[rows[i] + columns[i]];
}

int main(int, char **arguments) {
  int *to;
  char *from;
  long *zeros;
  cudaMalloc(&to, 64 * sizeof *to);
  cudaMalloc(&from, 64);
  cudaMemset(from, 0, 64);
  cudaMalloc(&zeros, 64 * sizeof *zeros);
  cudaMemset(zeros, 0, 64 * sizeof *zeros);
  for (int launch = 0; launch < 3; ++launch)
    gather<<<1, 64>>>(to, (const int *)(from + atoi(arguments[1])), zeros, zeros, 64);
  return cudaDeviceSynchronize() != cudaSuccess;
}
