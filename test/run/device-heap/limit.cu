// The heap's size may change until a kernel allocates, and again after a reset, which frees all allocations.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: %options=detect_leaks=1 %run %t 2>&1 >/dev/null | %silent
#include <cstdio>

#define EXPECT(condition)                                                                                              \
  if (!(condition))                                                                                                    \
  return std::printf("line %d: %s\n", __LINE__, #condition), 1

__device__ bool got;
__device__ void *kept;
__global__ void nothing() {}
__global__ void allocate(size_t size) {
  kept = malloc(size);
  got = kept != nullptr;
}

static bool allocates(size_t size) {
  bool result = false;
  allocate<<<1, 1>>>(size);
  cudaMemcpyFromSymbol(&result, got, sizeof result);
  return result;
}

int main() {
  nothing<<<1, 1>>>();
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20) == cudaSuccess);
  EXPECT(allocates(100 << 20));
  EXPECT(!allocates(100 << 20));
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256 << 20) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaDeviceReset() == cudaSuccess);
  EXPECT(allocates(1000));
  EXPECT(cudaDeviceReset() == cudaSuccess);
}
