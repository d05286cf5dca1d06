// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// An access gigabytes past all allocations, but inside the pool's window.
__global__ void store(char *values, size_t i) {
  // CHECK: ERROR: AddressSanitizer: {{heap-buffer-overflow|wild-address}}
  // CHECK-NEXT: WRITE of size 1
  // CHECK-NEXT: #0 store(char*, unsigned long) {{.*}}wild.cu:[[#@LINE+1]]:
  values[i] = 1;
}

int main() {
  char *values;
  cudaMalloc(&values, 1000);
#ifdef FIXED
  store<<<1, 1>>>(values, 999);
#else
  store<<<1, 1>>>(values, (size_t)2 << 30);
#endif
  // CHECK: SUMMARY: AddressSanitizer:
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
