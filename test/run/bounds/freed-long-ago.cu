// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=quarantine_size_mb=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// An access to a large freed allocation is reported, even after later allocations.
__global__ void store(char *values, long index) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK: #0 store(char*, long) {{.*}}freed-long-ago.cu:[[#@LINE+1]]:
  values[index] = 1;
}

int main() {
  char *large, *other;
  // CHECK: is located 20000001 bytes inside of 30000000-byte region
  // CHECK: freed by host thread T0 here:
  // CHECK: previously allocated by host thread T0 here:
  cudaMalloc(&large, 30000000);
  store<<<1, 1>>>(large, 29999999);
  cudaFree(large);
  for (int i = 0; i < 20; i++) {
    cudaMalloc(&other, 1000000 * (i + 1));
    store<<<1, 1>>>(other, i);
    cudaFree(other);
  }
#ifndef FIXED
  store<<<1, 1>>>(large, 20000001);
#endif
  return cudaDeviceSynchronize() != cudaSuccess;
}
