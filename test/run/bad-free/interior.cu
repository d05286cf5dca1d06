// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
int main() { // a free of a pointer into the middle of an allocation
  char *values;
  cudaMalloc(&values, 100);
#ifdef FIXED
  cudaFree(values);
#else
  cudaFree(values + 16);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: {{0x[0-9a-f]+}}
  // CHECK-SAME: {{^}} {{.*}}by host thread T0:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaFree
  // CHECK-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}interior.cu:[[#@LINE-4]]:
  // CHECK: is located 16 bytes inside of 100-byte region
  // CHECK: allocated by host thread T0 here:
  // CHECK: in main {{.*}}interior.cu:[[#@LINE-11]]:
  // CHECK: SUMMARY: AddressSanitizer: bad-free
#endif
}
