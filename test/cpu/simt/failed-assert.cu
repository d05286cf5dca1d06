// A failed assert in a kernel prints CUDA's line on standard error, and the next waiting call and all later calls
// return cudaErrorAssert. A true assert has no effect.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s
// CHECK: failed-assert.cu:[[#@LINE+16]]: void check(const int *, int): block: [2,0,0], thread: [5,1,0] Assertion
// CHECK-SAME: {{^}} `values[i] != 7` failed.
// CHECK: holds: cudaSuccess
// CHECK-NEXT: launch: cudaSuccess
// CHECK-NEXT: synchronise: cudaErrorAssert
// CHECK-NEXT: last: cudaErrorAssert
// CHECK-NEXT: again: cudaSuccess
// CHECK-NEXT: launch: cudaErrorAssert
#include "../inputs/self_check.h"
#include <cassert>

__global__ void check(const int *values, int n) {
  const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i >= n)
    return;
  assert(values[i] != 7);
  __syncthreads();
}

int main() {
  const int n = 64 * 4;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = 100 + i;
  int *d;
  CUDA(cudaMalloc(&d, n * sizeof(int)));
  CUDA(cudaMemcpy(d, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  check<<<4, dim3(32, 2)>>>(d, n);
  printf("holds: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  values[2 * 64 + 32 + 5] = 7;
  CUDA(cudaMemcpy(d, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  check<<<4, dim3(32, 2)>>>(d, n);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("again: %s\n", cudaGetErrorName(cudaGetLastError()));
  check<<<4, dim3(32, 2)>>>(d, n);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
