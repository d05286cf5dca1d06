// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A range that is one element too long. The load is in cub; the stack of the launch shows the wrong line.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

int main() {
  const int count = 1000;
  int *values, sum;
  cudaMalloc(&values, count * sizeof(int));
  cudaMemset(values, 0, count * sizeof(int));
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[FAULT]] by device thread
  // CHECK-NEXT: #0 {{.*}}ThreadLoad{{.*}}thread_load.cuh:{{[0-9]+}}:
  // CHECK: launched here by host thread T0:
#ifdef FIXED
  sum = thrust::reduce(thrust::device, values, values + count);
#else
  // CHECK: in main {{.*}}thrust-reduce.cu:[[#@LINE+1]]:
  sum = thrust::reduce(thrust::device, values, values + count + 1);
#endif
  // CHECK: [[FAULT]] is located 0 bytes after 4000-byte region
  // CHECK: in main {{.*}}thrust-reduce.cu:[[#@LINE-13]]:
  cudaFree(values);
  return sum != 0;
}
