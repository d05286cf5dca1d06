// The heap of kernels takes little more than its limit where the limit is large.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <cstdio>

__global__ void allocate() {
  free(malloc(8));
}

int main() {
  const size_t limit = size_t(4) << 30;
  size_t before, after, total;
  cudaMemGetInfo(&before, &total);
  if (total < 4 * limit)
    return std::puts("this device has too little memory for the test"), 0;
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit) != cudaSuccess)
    return 1;
  allocate<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  cudaMemGetInfo(&after, &total);
  std::fprintf(stdout, "%zu MiB\n", (before - after) >> 20);
  return before - after > limit + limit / 2;
}
