// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles:halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-pool=handles -o %t.fixed
// RUN: %options=pool=handles %run %t.fixed 2>&1 >/dev/null | %silent
// Frees of pointers that are not the start of a live chunk are reported.
#include <cstdlib>

static void expect(bool good) {
  if (!good)
    exit(2);
}

int main() {
  char *values, *other;
  expect(cudaMalloc(&values, 1000) == cudaSuccess);
  expect(cudaMalloc(&other, 1000) == cudaSuccess);
#ifndef FIXED
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x[[INNER:[0-9a-f]+]]
  // CHECK: in main {{.*}}frees.cu:[[#@LINE+2]]:
  // CHECK: 0x[[INNER]] is located 24 bytes inside of 1000-byte region
  expect(cudaFree(values + 24) == cudaErrorInvalidValue);
#endif
  expect(cudaFree(values) == cudaSuccess);
#ifndef FIXED
  // CHECK: ERROR: AddressSanitizer: attempting double-free on 0x[[HANDLE:[0-9a-f]+]]
  // CHECK: in main {{.*}}frees.cu:[[#@LINE+4]]:
  // CHECK: 0x[[HANDLE]] is located 0 bytes inside of 1000-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: previously allocated by host thread T0 here:
  expect(cudaFree(values) == cudaErrorInvalidValue);
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 10 at 0x{{[0-9a-f]+}} by cudaMemset called by host thread T0:
  // CHECK: in main {{.*}}frees.cu:[[#@LINE+1]]:
  expect(cudaMemset(values + 5, 0, 10) == cudaErrorInvalidValue);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 1001 at 0x{{[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // CHECK: in main {{.*}}frees.cu:[[#@LINE+2]]:
  char bytes[1001];
  expect(cudaMemcpy(bytes, other, 1001, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
#endif
  expect(cudaFree(other) == cudaSuccess);
}
