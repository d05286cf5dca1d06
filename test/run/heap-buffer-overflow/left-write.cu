// A kernel writes before its allocation.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void shift(int *values) {
  int i = threadIdx.x;
#ifdef FIXED
  if (i >= 8)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0
    // CHECK-SAME: {{^}} (and 7 more threads of this kernel)
    // CHECK-NEXT: #0 shift(int*) {{.*}}left-write.cu:[[#@LINE+1]]:
    values[i - 8] = i;
}

int main() {
  int *values;
  cudaMalloc(&values, 32 * sizeof(int));
  shift<<<1, 32>>>(values);
  // CHECK: is located 32 bytes before 128-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
