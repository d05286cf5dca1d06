// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Memory is freed twice, with another allocation between the two frees.
__global__ void fill(int *values) {
  values[threadIdx.x] = 1;
}

int main() {
  int *values, *others;
  cudaMalloc(&values, 32 * sizeof(int));
  fill<<<1, 32>>>(values);
  cudaFree(values);
  cudaMalloc(&others, 32 * sizeof(int));
  fill<<<1, 32>>>(others);
#ifdef FIXED
  cudaFree(others);
#else
  cudaFree(values);
  // CHECK: ERROR: AddressSanitizer: attempting double-free on
  // CHECK: in main {{.*}}used-between.cu:[[#@LINE-2]]:
#endif
}
