// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void increment(int *values, int count) { // the second launch uses freed memory
  int i = threadIdx.x;
  if (i < count)
    // CHECK: ERROR: AddressSanitizer: heap-use-after-free on {{cpu|cuda}} device 0 address [[ADDRESS:0x[0-9a-f]+]]
    // CHECK-NEXT: READ of size 4 at [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
    // CHECK-SAME: {{^}} (and 99 more threads of this kernel)
    // CHECK-NEXT: #0 increment(int*, int) {{.*}}kernel.cu:[[#@LINE+1]]:
    values[i] += 1;
}

static void release(int *values) {
  cudaFree(values);
}

int main() {
  int *values;
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMemset(values, 0, 100 * sizeof(int));
  increment<<<1, 128>>>(values, 100);
#ifdef FIXED
  cudaError_t error = cudaDeviceSynchronize();
  release(values);
  return error != cudaSuccess;
#else
  release(values);
  increment<<<1, 128>>>(values, 100);
  // CHECK: in main {{.*}}kernel.cu:[[#@LINE-1]]:
  // CHECK: [[ADDRESS]] is located 0 bytes inside of 400-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaFree
  // CHECK-NEXT: in release(int*) {{.*}}kernel.cu:[[#@LINE-19]]:
  // CHECK-NEXT: in main {{.*}}kernel.cu:[[#@LINE-7]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  // CHECK: in main {{.*}}kernel.cu:[[#@LINE-18]]:
  // CHECK: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}} in increment(int*, int)
  return cudaDeviceSynchronize() != cudaSuccess;
#endif
}
