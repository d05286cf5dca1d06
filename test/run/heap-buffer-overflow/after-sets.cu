// A GPU's driver sets memory by kernels of its own, which take numbers of grids. The report names the right launch.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t now 2>&1 | FileCheck %s
// RUN: not %run %t async 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed now 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed async 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void put(int *values, int index) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 put(int*, int) {{.*}}after-sets.cu:[[#@LINE+1]]:
  values[index] = 1;
}

int main(int, char **argv) {
  constexpr size_t kSize = 64 << 20;
#ifdef FIXED
  constexpr int kIndex = 3;
#else
  constexpr int kIndex = 4;
#endif
  int *values;
  void *more;
  cudaMalloc(&values, 4 * sizeof(int));
  cudaMalloc(&more, kSize);
  put<<<1, 1>>>(values, 0);
  cudaDeviceSynchronize();
  if (!strcmp(argv[1], "async"))
    cudaMemsetAsync(more, 0, kSize);
  else
    cudaMemset(more, 0, kSize);
  // CHECK-NEXT: #1 put(int*, int)<<<1, 1>>> launched here
  // CHECK-NEXT: #2 {{.*}} in main {{.*}}after-sets.cu:[[#@LINE+1]]:
  put<<<1, 1>>>(values, kIndex);
  put<<<1, 1>>>(values, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// CHECK: located 0 bytes after 16-byte region
