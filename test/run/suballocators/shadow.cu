// Shadow mode checks addresses, so it sees an overflow into the bytes between the size that was asked for and the
// block's end, and a use after a sub-free; not an overflow that lands in another live block.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t gap 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow -fsanitize-gpu-address-granule=8 %s -o %t.8
// RUN: not %run %t.8 overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t.8 freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %run %t.8 fine 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow -fsanitize-gpu-address-granule=256 %s -o %t.256
// RUN: not %run %t.256 overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: %run %t.256 fine 2>&1 >/dev/null | %silent
#include "inputs/caching.h"
#include <cstring>

__global__ void fill(int *values, int count) {
  // OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // OVERFLOW-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (250,0,0)
  // OVERFLOW-NEXT: #0 fill(int*, int) {{.*}}shadow.cu:[[#@LINE+9]]:
  // OVERFLOW: is located 0 bytes after 1000-byte region
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 fill(int*, int) {{.*}}shadow.cu:[[#@LINE+6]]:
  // FREED: is located {{[0-9]+}} bytes inside of 1000-byte region
  // FREED: freed by host thread T0 here:
  // GAP: ERROR: AddressSanitizer: heap-buffer-overflow
  // GAP: #0 fill(int*, int) {{.*}}shadow.cu:[[#@LINE+2]]:
  if (threadIdx.x < count)
    values[threadIdx.x] = 1;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  CachingAllocator allocator;
  // OVERFLOW: in main {{.*}}shadow.cu:[[#@LINE+3]]:
  // OVERFLOW: this region lies in a heap, the 2097152-byte region
  // GAP: is located {{[0-9]+}} bytes after 1000-byte region
  int *first = (int *)allocator.malloc(1000), *second = (int *)allocator.malloc(1000);
  fill<<<1, 256>>>(second, 250);
  fill<<<1, 256>>>(first, !strcmp(what, "overflow") ? 251 : 250);
  if (!strcmp(what, "gap"))
    fill<<<1, 256>>>(first + 100000, 250);
  allocator.free(first);
  if (!strcmp(what, "freed"))
    fill<<<1, 256>>>(first, 250);
  fill<<<1, 256>>>(second, 250);
  first = (int *)allocator.malloc(500);
  fill<<<1, 256>>>(first, 125);
  return cudaDeviceSynchronize() != cudaSuccess;
}
