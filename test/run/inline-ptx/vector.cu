// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The last four words are half inside and half outside of the allocation.
__global__ void sum(const int *values, int *result) {
  int a, b, c, d;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (2,0,0)
  // CHECK-NEXT: #0 sum(int const*, int*) {{.*}}vector.cu:[[#@LINE+1]]:
  asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(values + 4 * threadIdx.x));
  result[threadIdx.x] = a + b + c + d;
}

int main() {
  int *values, *result;
#ifdef FIXED
  cudaMalloc(&values, 12 * sizeof(int));
#else
  cudaMalloc(&values, 10 * sizeof(int));
#endif
  cudaMalloc(&result, 3 * sizeof(int));
  sum<<<1, 3>>>(values, result);
  // CHECK: [[FAULT]] is located 0 bytes after 40-byte region
  return cudaDeviceSynchronize() != cudaSuccess;
}
