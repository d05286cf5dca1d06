// A kernel writes past its block of a caching allocator, into the next block. The blocks lie side by side, without a
// gap.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t.fixed 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: %gasan -O0 %s -o %t.plain
// RUN: not %run %t.plain 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t.checked
// RUN: not %run %t.checked 2>&1 | FileCheck %s
#include "inputs/caching.h"

__global__ void scale(float *values, int count, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (4,0,0)
  // CHECK-NEXT: #0 scale(float*, int, float) {{.*}}overflow.cu:[[#@LINE+2]]:
  if (i < count)
    values[i] *= factor;
}

int main() {
  CachingAllocator allocator;
  // CHECK: is located 0 bytes after 4096-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in gasan_region_register
  // CHECK: in main {{.*}}overflow.cu:[[#@LINE+4]]:
  // CHECK: this region lies in a heap, the 2097152-byte region {{.*}} allocated by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  // CHECK: This address is in another allocation, which the pointer does not belong to:
  float *first = (float *)allocator.malloc(1024 * sizeof(float));
  // CHECK: is located 0 bytes inside of 4096-byte region
  // CHECK: in main {{.*}}overflow.cu:[[#@LINE+1]]:
  float *second = (float *)allocator.malloc(1024 * sizeof(float));
  scale<<<4, 256>>>(second, 1024, 2);
#ifdef FIXED
  scale<<<5, 256>>>(first, 1024, 2);
#else
  scale<<<5, 256>>>(first, 1025, 2);
#endif
  // PROVEN: Stats: launch proof: 2 of 2 launches proven
  return cudaDeviceSynchronize() != cudaSuccess;
}
