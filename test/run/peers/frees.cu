// REQUIRES: two-devices
// A free of device 0's memory, while device 1 is current, frees the memory. A second free is a double free.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %run %t used 2>&1 | FileCheck %s --check-prefix=USED
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void store(int *values) {
  *values = 1;
  // USED: ERROR: AddressSanitizer: heap-use-after-free on cuda device 1 address
  // USED: WRITE of size 4
  // USED: #0 store(int*) {{.*}}frees.cu:[[#@LINE-3]]:
  // USED: is located 0 bytes inside of 100-byte region
  // USED: freed by host thread T0 here:
  // USED: in main {{.*}}frees.cu:[[#@LINE+11]]:
  // USED: previously allocated by host thread T0 here:
  // USED: in main {{.*}}frees.cu:[[#@LINE+6]]:
}

int main(int count, char **arguments) {
  int *values;
  cudaSetDevice(1);
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values);
  cudaSetDevice(0);
  if (cudaFree(values) != cudaSuccess)
    return 2;
  // TWICE: ERROR: AddressSanitizer: attempting double-free
  // TWICE: in main {{.*}}frees.cu:[[#@LINE+4]]:
  // TWICE: freed by host thread T0 here:
  // TWICE: in main {{.*}}frees.cu:[[#@LINE-5]]:
  if (count > 1 && !strcmp(arguments[1], "twice"))
    cudaFree(values);
  cudaSetDevice(1);
  if (count > 1 && !strcmp(arguments[1], "used"))
    store<<<1, 1>>>(values);
  return cudaDeviceSynchronize() != cudaSuccess;
}
