// A cudaMemset that runs past the end of the buffer is reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
int main() {
  char *values;
  cudaMalloc(&values, 100);
#ifdef FIXED
  cudaError_t error = cudaMemset(values + 50, 1, 50);
#else
  cudaError_t error = cudaMemset(values + 50, 1, 100);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
  // CHECK: in main {{.*}}memset.cu:[[#@LINE-3]]:
  // CHECK: is located 0 bytes after 100-byte region
#endif
  cudaFree(values);
  return error != cudaSuccess;
}
