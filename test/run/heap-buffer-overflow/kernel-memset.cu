// A memset in a kernel, whose size is one byte too large.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void clear(char *values, size_t size) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // CHECK: #1 clear(char*, unsigned long) {{.*}}kernel-memset.cu:[[#@LINE+1]]:
  memset(values, 0, size);
}

int main() {
  char *values;
  cudaMalloc(&values, 100);
#ifdef FIXED
  clear<<<1, 1>>>(values, 100);
#else
  clear<<<1, 1>>>(values, 101);
#endif
  // CHECK: is located 0 bytes after 100-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
