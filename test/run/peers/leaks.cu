// REQUIRES: two-devices
// The report has the leaks of each device, with the device.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=detect_leaks=1 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
int main() {
  int *first, *second;
  cudaSetDevice(0);
  cudaMalloc(&first, 1000);
  cudaSetDevice(1);
  cudaMalloc(&second, 3000);
  // CHECK: ERROR: LeakSanitizer: detected memory leaks
  // CHECK: Direct leak of 3000 byte(s) in 1 object(s) on {{cpu|cuda}} device 1 allocated from:
  // CHECK: in main {{.*}}leaks.cu:[[#@LINE-3]]:
  // CHECK: Direct leak of 1000 byte(s) in 1 object(s) on {{cpu|cuda}} device 0 allocated from:
  // CHECK: in main {{.*}}leaks.cu:[[#@LINE-7]]:
  // CHECK: SUMMARY: AddressSanitizer: 4000 byte(s) leaked in 2 allocation(s).
#ifdef FIXED
  cudaFree(first);
  cudaFree(second);
#endif
}
