// Ends of loops from an array in a structure that is passed by value: each thread has its own, and the proof looks at
// all of them, the last one too.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 0 100 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=print_stats=1 %run %t 7 100 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: for row in 0 3 7; do not %run %t $row 101 2>&1 | FileCheck %s || exit 1; done
// FINE: launch proof: 1 of 1 launches proven
// FINE: Stats: 0 reports
#include <cstdlib>

struct Rows {
  int ends[8];
};

__global__ void fill(Rows rows, int *to) {
  const int row = threadIdx.x;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK: WRITE of size 4
  // CHECK-NEXT: #0 fill(Rows, int*) {{.*}}parameter-ends.cu:[[#@LINE+3]]:
  // CHECK: located 0 bytes after 400-byte region
  if (threadIdx.y < rows.ends[row])
    to[threadIdx.y] = row;
}

int main(int, char **arguments) {
  Rows rows = {};
  rows.ends[atoi(arguments[1])] = atoi(arguments[2]);
  int *to;
  cudaMalloc(&to, 400);
  fill<<<1, dim3(8, 128)>>>(rows, to);
  return cudaDeviceSynchronize() != cudaSuccess;
}
