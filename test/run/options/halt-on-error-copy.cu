// With halt_on_error=0 a bad copy is not made, and the call says so.
// RUN: %gasan -O2 %s -o %t
// RUN: %run halt_on_error=0 %t | %check
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: ERROR: AddressSanitizer: attempting double-free
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
