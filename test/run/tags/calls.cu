// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=quarantine_size_mb=0:halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %options=quarantine_size_mb=0 %run %t.fixed 2>&1 >/dev/null | %silent
// Calls with a stale pointer, to addresses of another live allocation, are reported.
#include <cstdint>
#include <cstdlib>

static void expect(bool good) {
  if (!good)
    exit(2);
}

int main() {
  char *stale, *fresh, bytes[1000];
  expect(cudaMalloc(&stale, 1000) == cudaSuccess);
#ifndef FIXED
  expect(cudaFree(stale) == cudaSuccess);
#endif
  expect(cudaMalloc(&fresh, 1000) == cudaSuccess);
#ifndef FIXED
  expect(((reinterpret_cast<uintptr_t>(stale) ^ reinterpret_cast<uintptr_t>(fresh)) << 8) == 0);
  const cudaError_t wrong = cudaErrorInvalidValue;
#else
  const cudaError_t wrong = cudaSuccess;
#endif
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 10 at 0x{{[0-9a-f]+}} by cudaMemset called by host thread T0:
  // CHECK: in main {{.*}}calls.cu:[[#@LINE+4]]:
  // CHECK: is located 5 bytes inside of 1000-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}calls.cu:[[#@LINE-16]]:
  expect(cudaMemset(stale + 5, 1, 10) == wrong);
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 1000 at 0x{{[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // CHECK: in main {{.*}}calls.cu:[[#@LINE+1]]:
  expect(cudaMemcpy(bytes, stale, 1000, cudaMemcpyDeviceToHost) == wrong);
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 8 at 0x{{[0-9a-f]+}} by cudaMemcpy2D called by host thread T0:
  // CHECK: in main {{.*}}calls.cu:[[#@LINE+1]]:
  expect(cudaMemcpy2D(fresh, 100, stale, 100, 8, 10, cudaMemcpyDeviceToDevice) == wrong);
  // CHECK: ERROR: AddressSanitizer: attempting double-free on 0x[[STALE:[0-9a-f]+]]
  // CHECK: in main {{.*}}calls.cu:[[#@LINE+5]]:
  // CHECK: 0x[[STALE]] is located 0 bytes inside of 1000-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}calls.cu:[[#@LINE-28]]:
  // CHECK: previously allocated by host thread T0 here:
  expect(cudaFree(stale) == wrong);
#ifndef FIXED
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x[[INNER:[0-9a-f]+]]
  // CHECK: in main {{.*}}calls.cu:[[#@LINE+2]]:
  // CHECK: 0x[[INNER]] is located 24 bytes inside of 1000-byte region
  expect(cudaFree(fresh + 24) == cudaErrorInvalidValue);
#endif
  expect(cudaMemset(fresh, 2, 1000) == cudaSuccess && cudaFree(fresh) == cudaSuccess);
  // CHECK-NOT: ERROR
}
