// Suppressions by kernel, function, file, allocation and kind of error. A pattern that does not match suppresses
// nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=suppressions=%S/inputs/kernel.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/function.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/allocation.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/kind.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/file.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %options=suppressions=%S/inputs/other-kind.supp not %run %t 2>&1 | FileCheck %s
// RUN: %options=suppressions=%S/inputs/wrong.supp %exit=1 %t 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: gasan: ERROR: suppressions={{.*}}wrong.supp: line 3 has no type of suppressions; write TYPE:PATTERN with
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
