// In shadow mode a report ends with the shadow bytes around the fault.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t
// RUN: not %run %t overflow 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: not %run %t freed 2>&1 >/dev/null | %golden.1
// RUN: not %run %t copy 2>&1 >/dev/null | %golden.2
// RUN: %run %t none 2>&1 >/dev/null | %silent
#include <cstring>

// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: Shadow bytes around the buggy address:
// CHECK: (one shadow byte represents 128 application bytes)
__global__ void store(int *values, int index) {
  values[index] = 1;
}

int main(int, char **arguments) {
  int *values, other[26];
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, strcmp(arguments[1], "overflow") ? 24 : 25);
  cudaMemcpy(other, values, strcmp(arguments[1], "copy") ? 100 : 104, cudaMemcpyDeviceToHost);
  if (!strcmp(arguments[1], "freed")) {
    cudaFree(values);
    store<<<1, 1>>>(values, 0);
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  cudaFree(values);
  return cudaDeviceSynchronize() != cudaSuccess;
}
