// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
int main() { // a copy to freed memory
  int *values, host[25] = {};
  cudaMalloc(&values, sizeof host);
#ifdef FIXED
  cudaError_t error = cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(values);
#else
  cudaFree(values);
  cudaError_t error = cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // CHECK: in main {{.*}}freed.cu:[[#@LINE-3]]:
  // CHECK: is located 0 bytes inside of 100-byte region
  // CHECK: freed by host thread T0 here:
  // CHECK: in main {{.*}}freed.cu:[[#@LINE-7]]:
  // CHECK: previously allocated by host thread T0 here:
#endif
  return error != cudaSuccess;
}
