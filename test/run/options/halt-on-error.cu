// With halt_on_error=0 the program goes on after a report: it completes its later work, and its own exit code counts.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=halt_on_error=0 %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0:exitcode=9:max_reports=2 %exit=9 %t 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: %options=halt_on_error=1 not %run %t 2>&1 | FileCheck %s --check-prefix=ONE
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+18]]:
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+16]]:
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+14]]:
// CHECK-NOT: ABORTING
// CHECK: the end
// MOST: ERROR: AddressSanitizer: heap-buffer-overflow
// MOST: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+10]]:
// MOST: ERROR: AddressSanitizer: heap-buffer-overflow
// MOST: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+8]]:
// MOST-NOT: ERROR: AddressSanitizer
// ONE: ERROR: AddressSanitizer: heap-buffer-overflow
// ONE: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+5]]:
// ONE-NOT: ERROR: AddressSanitizer
#include <cstdio>

__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 100);
  for (int i = 24; i < 28; ++i) {
    store<<<1, 1>>>(values, i);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return 2;
  }
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  fprintf(stderr, "the end\n");
  return last != 1;
}
