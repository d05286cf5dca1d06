// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Another host thread frees the memory, then a kernel reads its last byte.
#include <cstdlib>
#include <thread>

__global__ void read_last(const char *values, int size, char *result) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 1
  // CHECK-NEXT: #0 read_last(char const*, int, char*) {{.*}}freed-by-thread.cu:[[#@LINE+1]]:
  *result = values[size - 1];
}

int main() {
  char *values, *result;
  cudaMalloc(&values, 1000);
  cudaMalloc(&result, 1);
  cudaMemset(values, 5, 1000);
#ifdef FIXED
  read_last<<<1, 1>>>(values, 1000, result);
#endif
  std::thread([values] {
    if (cudaFree(values) != cudaSuccess)
      abort();
  }).join();
#ifndef FIXED
  read_last<<<1, 1>>>(values, 1000, result);
#endif
  // CHECK: is located 999 bytes inside of 1000-byte region
  // CHECK-NEXT: freed by host thread T1 here:
  // CHECK: freed-by-thread.cu:[[#@LINE-8]]:
  // CHECK: previously allocated by host thread T0 here:
  char host = 0;
  cudaMemcpy(&host, result, 1, cudaMemcpyDeviceToHost);
  cudaFree(result);
  return host != 5;
}
