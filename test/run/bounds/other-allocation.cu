// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=lookup=tree not %run %t 2>&1 | FileCheck %s
// RUN: %options=lookup=list not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=lookup=tree %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=lookup=list %run %t.fixed 2>&1 >/dev/null | %silent
// An overflow beyond the redzone, into another live allocation, is reported for the pointer's own allocation.
#include <cstdint>

__global__ void store(int *values, int64_t index) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK: WRITE of size 4
  // CHECK: #0 store(int*, long) {{.*}}other-allocation.cu:[[#@LINE+1]]:
  values[index] = 1;
}

int main() {
  int *first, *second;
  cudaMalloc(&first, 4000);
  // CHECK: is located {{[0-9]+}} bytes after 4000-byte region
  // CHECK: in main {{.*}}other-allocation.cu:[[#@LINE-2]]:
  cudaMalloc(&second, 8000);
  // CHECK: This address is in another allocation, which the pointer does not belong to:
  // CHECK-NEXT: is located 12 bytes inside of 8000-byte region
  // CHECK: in main {{.*}}other-allocation.cu:[[#@LINE-3]]:
  // CHECK-NOT: Shadow bytes
#ifdef FIXED
  store<<<1, 1>>>(second, 3);
#else
  store<<<1, 1>>>(first, (second - first) + 3);
#endif
  return cudaDeviceSynchronize() != cudaSuccess;
}
