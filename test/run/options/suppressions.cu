// Suppressions by kernel, by function and by allocation. A pattern that does not match suppresses nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=suppressions=%S/inputs/kernel.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/function.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/allocation.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/other.supp not %run %t 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 put(int*, int) {{.*}}suppressions.cu:[[#@LINE+2]]:
__device__ __noinline__ void put(int *values, int i) {
  values[i] = 1;
}

__global__ void careless(int *values, int i) {
  put(values, i);
}

__attribute__((noinline)) int *allocate() {
  int *values = nullptr;
  cudaMalloc(&values, 100);
  return values;
}

int main() {
  int *values = allocate();
  careless<<<1, 1>>>(values, 25);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
