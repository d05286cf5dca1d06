// The block's first thread frees memory that the other threads use after the barrier.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
#include <new>

__device__ int result;

__global__ void share() {
  __shared__ int *values;
  if (threadIdx.x == 0)
    values = new int[64];
  __syncthreads();
  int *mine = values;
  mine[threadIdx.x] = threadIdx.x;
  __syncthreads();
#ifdef FIXED
  atomicAdd(&result, mine[63 - threadIdx.x]);
  __syncthreads();
#endif
  if (threadIdx.x == 0)
    delete[] values;
#ifndef FIXED
  __syncthreads();
  atomicAdd(&result, mine[63 - threadIdx.x]);
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-SAME: {{^}} (and 63 more threads of this kernel)
  // CHECK-NEXT: #0 share() {{.*}}freed-by-another-thread.cu:[[#@LINE-4]]:
  // CHECK: is located 252 bytes inside of 256-byte region {{.*}} of the device heap
  // CHECK-NEXT: freed by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK: share() {{.*}}freed-by-another-thread.cu:[[#@LINE-10]]:
  // CHECK: previously allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK: share() {{.*}}freed-by-another-thread.cu:15:
  // CHECK: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}}freed-by-another-thread.cu:28:
#endif
}

int main() {
  share<<<1, 64>>>();
  cudaDeviceSynchronize();
}
