// Relocatable device code: a kernel calls a device function of another file. With the argument 11 it writes one element
// too many, which is reported.
// RUN: %gasan -O2 -fgpu-rdc -c %s -o %t.1.o
// RUN: %gasan -O2 -fgpu-rdc -c %S/inputs/rdc-function.cu -o %t.2.o
// RUN: %gasan -fgpu-rdc %t.1.o %t.2.o -o %t
// RUN: %run %t 10 2>&1 >/dev/null | %silent
// RUN: not %run %t 11 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (10,0,0)
// CHECK: #0 store(int*, int) {{.*}}rdc-function.cu:4:
#include <cstdlib>

extern __device__ void store(int *values, int i);
extern __device__ int written;

__global__ void fill(int *values, int count) {
  if ((int)threadIdx.x < count)
    store(values, threadIdx.x);
  atomicAdd(&written, 1);
}

int main(int, char **arguments) {
  int *values, last = 0;
  cudaMalloc(&values, 10 * sizeof(int));
  fill<<<1, 32>>>(values, atoi(arguments[1]));
  cudaMemcpy(&last, values + 9, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return last != 18;
}
