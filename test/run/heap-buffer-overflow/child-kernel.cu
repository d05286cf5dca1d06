// A kernel launches kernels (dynamic parallelism). They have all checks, also if the launch of the first is proven.
// REQUIRES: cuda
// RUN: %gasan -O2 -fgpu-rdc %s -o %t -lcudadevrt
// RUN: %run %t 0 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not=ERROR
// RUN: not %run %t 1 2>&1 | FileCheck %s
// RIGHT: 2016
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (8,0,0) block (0,0,0)
// CHECK-NEXT: #0 child(int*, int) {{.*}}child-kernel.cu:[[#@LINE+7]]:
// CHECK: located 0 bytes after 256-byte region
// CHECK-NEXT: allocated by host thread T0 here:
#include <cstdio>
#include <cstdlib>

__global__ void child(int *values, int base) {
  values[threadIdx.x] = base + threadIdx.x;
}

__global__ void parent(int *values, int more) {
  int base = 8 * threadIdx.x;
  child<<<1, threadIdx.x == blockDim.x - 1 ? 8 + more : 8>>>(values + base, base);
}

int main(int argc, char **argv) {
  int *values, results[64], sum = 0;
  cudaMalloc(&values, sizeof results);
  parent<<<1, 8>>>(values, atoi(argv[1]));
  cudaMemcpy(results, values, sizeof results, cudaMemcpyDeviceToHost);
  for (int result : results)
    sum += result;
  printf("%d\n", sum);
}
