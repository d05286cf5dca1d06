// REQUIRES: cpu
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// RUN: %options=print_stats=1:lookup=tree %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 >/dev/null | %silent
// Memory that the runtime does not know: accesses of kernels to such memory are not checked, and print_stats counts the
// look-ups of the pointer. (A GPU can use such memory only if the system shares page tables.)
// CHECK: lookups of bounds: 1 pointers led to no known memory
// CHECK: Stats: 0 reports
#include <cstdlib>

__global__ void load(const int *unknown, int *result) {
  *result = unknown[*result];
}

int main() {
  int *unknown = static_cast<int *>(malloc(1 << 20)), *result, host = 5;
  unknown[5] = 7;
  cudaMalloc(&result, sizeof *result);
  cudaMemcpy(result, &host, sizeof host, cudaMemcpyHostToDevice);
  load<<<1, 1>>>(unknown, result);
  cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost);
  free(unknown);
  return cudaFree(result) != cudaSuccess || host != 7;
}
