// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=quarantine_size_mb=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 %s -fsanitize-gpu-address-tags -o %t.O0
// RUN: %options=quarantine_size_mb=0 not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %options=quarantine_size_mb=0 %run %t.fixed 2>&1 >/dev/null | %silent
// The pool reuses the addresses of freed memory at once, so that both pointers are in bounds of a live chunk: only the
// tag distinguishes them.
#include <cstdint>

static uintptr_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) & 0xffffffffffffff;
}

__global__ void write(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free on {{.*}} address 0x1[[AT:[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 4 at 0x1[[AT]] by
  // CHECK-NEXT: #0 write(int*) {{.*}}reused-address.cu:[[#@LINE+1]]:
  values[5] = 1;
}

int main() {
  int *stale, *fresh;
  cudaMalloc(&stale, 4096);
  cudaFree(stale);
  cudaMalloc(&fresh, 4096);
  if (address(fresh) != address(stale) || fresh == stale)
    return 2;
#ifdef FIXED
  stale = fresh;
#endif
  write<<<1, 1>>>(stale);
  // CHECK: is located 20 bytes inside of 4096-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}reused-address.cu:[[#@LINE-10]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}reused-address.cu:[[#@LINE-13]]:
  // CHECK: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}}reused-address.cu:[[#@LINE-19]]:
  return cudaDeviceSynchronize() != cudaSuccess;
}
