// With halt_on_error=0 an invalid copy is not executed, and the call returns an error.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: READ of size 200 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
// CHECK: in main {{.*}}halt-on-error-copy.cu:[[#@LINE+10]]:
// CHECK: ERROR: AddressSanitizer: attempting double-free
// CHECK: in main {{.*}}halt-on-error-copy.cu:[[#@LINE+12]]:
// CHECK-NOT: ABORTING
#include <cstring>

int main() {
  char *values, host[200];
  memset(host, 5, sizeof host);
  cudaMalloc(&values, 100);
  if (cudaMemcpy(host, values, 200, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue || host[0] != 5)
    return 1;
  if (cudaGetLastError() != cudaErrorInvalidValue)
    return 2;
  if (cudaFree(values) != cudaSuccess || cudaFree(values) != cudaErrorInvalidValue)
    return 3;
}
