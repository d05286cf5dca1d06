// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <cstdio>
// The last block writes past the end of the allocation. The whole report is compared.
__global__ void fill(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
  if (i < count)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[ADDRESS:0x[0-9a-f]+]]
    // CHECK-NEXT: WRITE of size 4 at [[ADDRESS]] by device thread (36,0,0) block (1,0,0) lane 4
    // CHECK-SAME: {{^}} (and 27 more threads of this kernel)
    // CHECK-NEXT: #0 fill(int*, int) {{.*}}write.cu:[[#@LINE+1]]:
    values[i] = i;
}

int main() {
  int *values;
  cudaMalloc(&values, 100 * sizeof(int));
  fill<<<2, 64>>>(values, 100);
  // CHECK-NEXT: #1 fill(int*, int)<<<2, 64>>> launched here by host thread T0:
  // CHECK-NEXT: #2 {{0x[0-9a-f]+}} in main {{.*}}write.cu:[[#@LINE-2]]:
  // CHECK: [[ADDRESS]] is located 0 bytes after 400-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  // CHECK: in main {{.*}}write.cu:[[#@LINE-7]]:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}write.cu:{{[0-9]+:[0-9]+}} in fill(int*, int)
  // CHECK: ABORTING
  int last = 0;
  cudaMemcpy(&last, values + 99, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return last != 99;
}
