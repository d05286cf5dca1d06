// A cudaFree of memory from malloc is reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <cstdlib>

int main() {
  void *device, *host = malloc(100);
  cudaMalloc(&device, 100);
#ifndef FIXED
  cudaFree(host);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: {{0x[0-9a-f]+}}
  // CHECK: in main {{.*}}host-pointer.cu:[[#@LINE-2]]:
#endif
  cudaFree(device);
  free(host);
}
