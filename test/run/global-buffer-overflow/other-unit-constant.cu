// An overflow of a constant variable of another translation unit, whose size is unknown in this unit.
// RUN: %gasan -O2 -fgpu-rdc %s %S/inputs/constants.cu -o %t
// RUN: not %run %t 16 2>&1 | FileCheck %s
// RUN: %run %t 15 2>&1 >/dev/null | %silent
#include <cstdlib>

extern __constant__ int far_constants[];

// CHECK: ERROR: AddressSanitizer: global-buffer-overflow
// CHECK: READ of size 4 at 0x{{[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
__global__ void load(int *out, int index) {
  // CHECK: #0 load(int*, int) {{.*}}other-unit-constant.cu:[[#@LINE+1]]:
  *out = far_constants[index];
}
// CHECK: is located 0 bytes after constant variable 'far_constants' defined in '{{.*}}constants.cu:2' of size 64

int main(int, char **arguments) {
  int *out;
  cudaMalloc(&out, sizeof *out);
  load<<<1, 1>>>(out, atoi(arguments[1]));
  return cudaDeviceSynchronize() != cudaSuccess;
}
