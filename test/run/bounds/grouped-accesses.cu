// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 997 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t 998 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not %run %t -1 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: %run %t 0 2>&1 >/dev/null | %silent
// RUN: %run %t 996 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -mllvm -gasan-group-checks=false %s -o %t.single
// RUN: not %run %t.single 997 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t.single 998 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not %run %t.single -1 2>&1 | FileCheck %s --check-prefix=STORE
// One check covers several accesses. The report is of the first bad access in program order.
#include <cstdlib>

__global__ void around(float *values, int i, float *result) {
  // FIRST: ERROR: AddressSanitizer: heap-buffer-overflow
  // FIRST-NEXT: READ of size 4
  // FIRST-NEXT: #0 around(float*, int, float*) {{.*}}grouped-accesses.cu:[[#@LINE+1]]:
  float sum = values[i + 2];
  // STORE: ERROR: AddressSanitizer: heap-buffer-overflow
  // STORE-NEXT: WRITE of size 4
  // STORE-NEXT: #0 around(float*, int, float*) {{.*}}grouped-accesses.cu:[[#@LINE+1]]:
  values[i] = 1;
  // LAST: ERROR: AddressSanitizer: heap-buffer-overflow
  // LAST-NEXT: READ of size 4
  // LAST-NEXT: #0 around(float*, int, float*) {{.*}}grouped-accesses.cu:[[#@LINE+1]]:
  sum += values[i + 1] + values[i + 3];
  result[0] = sum;
}

int main(int, char **arguments) {
  float *values, *result;
  // LAST: is located 0 bytes after 4000-byte region
  // FIRST: is located 0 bytes after 4000-byte region
  // STORE: is located 4 bytes before 4000-byte region
  cudaMalloc(&values, 4000);
  cudaMalloc(&result, 4);
  cudaMemset(values, 0, 4000);
  around<<<1, 1>>>(values, atoi(arguments[1]), result);
  return cudaDeviceSynchronize() != cudaSuccess;
}
