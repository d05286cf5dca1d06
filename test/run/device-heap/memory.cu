// The heap of kernels takes little more than its limit where the limit is large, and CUDA's own heap takes nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s
// ALONE: it compares the free memory of the device before and after
// CHECK: the heaps take
// CHECK-NOT: too much
#include <cstdio>

__global__ void allocate() {
  free(malloc(8));
}

int main() {
  const size_t limit = size_t(4) << 30;
  size_t before, after, total;
  cudaMemGetInfo(&before, &total);
  if (total < 4 * limit)
    return std::puts("the heaps take more memory than this device has"), 0;
  cudaError_t error = cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit);
  allocate<<<1, 1>>>();
  if (error == cudaSuccess)
    error = cudaDeviceSynchronize();
  cudaMemGetInfo(&after, &total);
  std::printf("%s; the heaps take %zu MiB", cudaGetErrorString(error), (before - after) >> 20);
  std::puts(before - after > limit + limit / 2 ? ", which is too much" : "");
  return error != cudaSuccess;
}
