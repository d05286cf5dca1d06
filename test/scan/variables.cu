// A variable keeps its first value on the ways that do not write it, also if a loop or a kernel is its first user.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>

int size = 7;
__device__ int chosen = 7;

__global__ void byHost(int *p, int i) {
  // CHECK: variables.cu:[[@LINE+2]]:8: write in byHost(int*, int): possible heap-buffer-overflow
  // FIXED: variables.cu:[[@LINE+1]]:8: write in byHost(int*, int): proven
  p[i] = 1;
}

__global__ void byDevice(int *p) {
  if (threadIdx.x == 3)
    chosen = 0;
#ifdef FIXED
  if (chosen < 0 || chosen > 3)
    return;
#endif
  int i = chosen;
#ifdef FIXED
  i &= 3;
#endif
  // CHECK: variables.cu:[[@LINE+2]]:8: write in byDevice(int*): unknown (
  // FIXED: variables.cu:[[@LINE+1]]:8: write in byDevice(int*): proven
  p[i] = 1;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]), *p;
  for (int i = 0; i < n; i++)
    if (i == 3)
      size = 0;
  cudaMalloc(&p, 4 * sizeof(int));
#ifdef FIXED
  if (size > 3 || size < 0)
    return 2;
#endif
  byHost<<<1, 1>>>(p, size);
  byDevice<<<1, 1>>>(p);
  cudaDeviceSynchronize();
}
// FIXED: 0 possible
