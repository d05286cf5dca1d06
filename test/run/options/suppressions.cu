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
// RUN: printf 'fun:put\nheap-buffer-overflow: \n' > %t.empty && \
// RUN:   %options=suppressions=%t.empty %exit=1 %t 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: gasan: ERROR: suppressions={{.*}}.empty: line 2 has no pattern; write TYPE:PATTERN with the type kernel,
// RUN: %options=suppressions=%t.nowhere %exit=1 %t 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: failed to read suppressions file '{{.*}}.nowhere'
// RUN: printf 'fun:put[(]\nfun:[z-a\nfun:**x\n' > %t.odd && \
// RUN:   %options=suppressions=%t.odd not %run %t 2>&1 | FileCheck %s
// RUN: printf 'fun:p.*t\nfun:***^$\r\n' > %t.stars && %options=suppressions=%t.stars not %run %t 2>&1 | \
// RUN:   FileCheck %s
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
