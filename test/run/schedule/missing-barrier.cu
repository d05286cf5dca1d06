// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:1 not %run %t 2>&1 | FileCheck %s
// RUN: %options=schedule=random:2 not %run %t 2>&1 | FileCheck %s
// RUN: %options=schedule=random:1 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:2 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:3 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:999999999 %run %t.fixed 2>&1 >/dev/null | %silent
// Each thread reads what the thread before it has written, without a barrier in between. In the order of the threads'
// numbers this works.
#include <cstdio>

__global__ void chain(int *out) {
  __shared__ int place[128];
  const int previous = threadIdx.x ? threadIdx.x - 1 : 0;
  place[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  __syncthreads();
#endif
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{.*}} by device thread ({{[0-9]+}},0,0) block (0,0,0)
  // CHECK-NEXT: #0 chain(int*) {{.*}}missing-barrier.cu:[[#@LINE+1]]:
  out[place[previous]] = 1;
  __syncthreads();
}

int main() {
  int *out;
  cudaMalloc((void **)&out, 128 * sizeof *out);
  chain<<<1, 128>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
