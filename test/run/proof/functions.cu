// A launch counts as proven only if the functions that its kernel calls have no checks either.
// RUN: %gasan -fsanitize-gpu-address-launch-proof=on -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// CHECK: Stats: launch proof: 1 of 2 launches proven, {{.*}}; 1 of 2 kernels in every launch
// CHECK: Stats:   calls(int const*, int*, int): 0 launches proven, {{.*}}1 check in each launch
#include <cstdio>

__device__ __noinline__ int element(const int *values, int i, int count) {
  return i < count ? values[i] : 0;
}

__global__ void calls(const int *values, int *sums, int count) {
  sums[threadIdx.x] += element(values, threadIdx.x * 2, count);
}

__global__ void reads(const int *values, int *sums, int count) {
  if (threadIdx.x < count)
    sums[threadIdx.x] += values[threadIdx.x];
}

int main() {
  int *values, *sums;
  cudaMalloc(&values, 400);
  cudaMalloc(&sums, 400);
  cudaMemset(values, 0, 400);
  cudaMemset(sums, 0, 400);
  calls<<<1, 100>>>(values, sums, 100);
  reads<<<1, 100>>>(values, sums, 100);
  printf("%d\n", cudaDeviceSynchronize());
}
