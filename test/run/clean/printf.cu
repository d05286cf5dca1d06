// printf in a kernel with conversions of several types, and a string in a device variable.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>%t.err | FileCheck %s && cat %t.err | %silent
#include <cstdio>

__global__ void greet(const char *name, double value) {
  if (threadIdx.x == 1)
    printf("hello %s %d %5.2f %c %llx %%\n", name, (int)blockDim.x, value, 'z', 0x123456789abcull);
  // CHECK: hello there 2 3.14 z 123456789abc %
}

__device__ char text[] = "there";

int main() {
  void *name;
  cudaGetSymbolAddress(&name, text);
  greet<<<1, 2>>>((const char *)name, 3.14159);
  return cudaDeviceSynchronize() != cudaSuccess;
}
