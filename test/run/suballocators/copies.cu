// A copy or a set must stay in one region of a heap.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t across 2>&1 | FileCheck %s --check-prefix=ACROSS
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t gap 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not %run %t whole 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: %run %t fine 2>&1 >/dev/null | %silent
#include "inputs/caching.h"
#include <cstring>

int main(int, char **arguments) {
  const char *what = arguments[1];
  static char host[8192];
  CachingAllocator allocator;
  // ACROSS: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // ACROSS-NEXT: WRITE of size 2049 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // ACROSS: in main {{.*}}copies.cu:[[#@LINE+6]]:
  // ACROSS: is located 0 bytes after 2048-byte region
  // ACROSS: in main {{.*}}copies.cu:[[#@LINE+1]]:
  char *first = (char *)allocator.malloc(2048), *second = (char *)allocator.malloc(1000);
  cudaMemset(second, 0, 1000);
  if (!strcmp(what, "across"))
    cudaMemcpy(first, host, 2049, cudaMemcpyHostToDevice);
  cudaMemcpy(first, host, 2048, cudaMemcpyHostToDevice);
  // GAP: ERROR: AddressSanitizer: heap-buffer-overflow
  // GAP-NEXT: READ of size 10 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // GAP: in main {{.*}}copies.cu:[[#@LINE+4]]:
  // GAP: is located 5 bytes after 1000-byte region
  // GAP: this region lies in a heap, the 2097152-byte region
  if (!strcmp(what, "gap"))
    cudaMemcpy(host, second + 1005, 10, cudaMemcpyDeviceToHost);
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED-NEXT: WRITE of size 1000 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
  // FREED: in main {{.*}}copies.cu:[[#@LINE+6]]:
  // FREED: freed by host thread T0 here:
  // FREED-NEXT: #0 {{0x[0-9a-f]+}} in gasan_region_unregister
  // FREED: in main {{.*}}copies.cu:[[#@LINE+1]]:
  allocator.free(second);
  if (!strcmp(what, "freed"))
    cudaMemset(second, 0, 1000);
  // WHOLE: ERROR: AddressSanitizer: heap-buffer-overflow
  // WHOLE-NEXT: WRITE of size 2097152 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
  // WHOLE: in main {{.*}}copies.cu:[[#@LINE+2]]:
  if (!strcmp(what, "whole"))
    cudaMemset(first, 0, 2 << 20);
  return 0;
}
