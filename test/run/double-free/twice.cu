// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
int main() { // a second free of an allocation
  int *values;
  cudaMalloc(&values, 100);
  cudaFree(values);
#ifndef FIXED
  cudaFree(values);
  // CHECK: ERROR: AddressSanitizer: attempting double-free on {{0x[0-9a-f]+}} {{.*}}by host thread T0:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaFree
  // CHECK-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}twice.cu:[[#@LINE-3]]:
  // CHECK: is located 0 bytes inside of 100-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaFree
  // CHECK-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}twice.cu:[[#@LINE-9]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}twice.cu:[[#@LINE-12]]:
  // CHECK: SUMMARY: AddressSanitizer: double-free
#endif
}
