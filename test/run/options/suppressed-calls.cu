// A suppressed copy or free is executed as without gasan.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=suppressions=%S/inputs/main.supp %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
// CHECK: in main {{.*}}suppressed-calls.cu:[[#@LINE+4]]:
int main() {
  char *bytes;
  cudaMalloc(&bytes, 100);
  if (cudaMemset(bytes, 1, 101) != cudaSuccess || cudaGetLastError() != cudaSuccess)
    return 2;
  return cudaFree(bytes) != cudaSuccess;
}
