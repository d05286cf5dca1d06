// cudaDeviceGetLimit and cudaDeviceSetLimit, device flags and cache configurations: queries return the set values, and
// invalid values are errors.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void allocate(int *ok) {
  char *memory = (char *)malloc(1 << 10);
  if (memory) {
    memory[1023] = char(threadIdx.x);
    *ok += memory[1023] == char(threadIdx.x);
  }
  free(memory);
}

int main() {
  size_t value = 0, again = 0;
  for (cudaLimit limit : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize}) {
    CUDA(cudaDeviceGetLimit(&value, limit));
    EXPECT(value > 0, "limit %d", (int)limit);
  }
  // A heap and a queue may become larger than requested, never smaller. They are set before the first kernel.
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 24 << 20));
  CUDA(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT(value >= 24u << 20 && value < 256u << 20, "heap %zu", value);
  CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
  CUDA(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  EXPECT(value >= 2u << 20 && value < 64u << 20, "printf %zu", value);
  CUDA(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  CUDA(cudaDeviceGetLimit(&again, cudaLimitStackSize));
  EXPECT(again >= 2048, "stack %zu, was %zu", again, value);
  EXPECT(cudaDeviceGetLimit(&value, (cudaLimit)99) == cudaErrorInvalidValue, "no such limit");
  EXPECT(cudaDeviceSetLimit((cudaLimit)99, 1) == cudaErrorInvalidValue, "no such limit");
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess, "not sticky");

  int *ok;
  CUDA(cudaMallocManaged(&ok, sizeof *ok));
  *ok = 0;
  allocate<<<1, 1>>>(ok);
  CUDA(cudaDeviceSynchronize());
  printf("allocated %d\n", *ok);

  cudaFuncCache cache;
  CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CUDA(cudaDeviceGetCacheConfig(&cache));
  CUDA(cudaFuncSetCacheConfig(allocate, cudaFuncCachePreferShared));
  int least = 1, greatest = 1;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least && least == 0, "priorities %d to %d", least, greatest);
  unsigned flags = 0;
  CUDA(cudaGetDeviceFlags(&flags));
  CUDA(cudaFree(ok));
  return passed();
}
