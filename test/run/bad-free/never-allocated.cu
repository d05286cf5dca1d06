// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A free of an address in the redzone after the only allocation is reported as a bad free.
int main() {
  char *values;
  cudaMalloc(&values, 100);
#ifndef FIXED
  cudaFree(values + 128);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // CHECK: in main {{.*}}never-allocated.cu:[[#@LINE-2]]:
  // CHECK: is located 28 bytes after 100-byte region
#endif
  cudaFree(values);
  cudaFree(nullptr);
}
