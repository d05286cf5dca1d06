// A kernel reads a block that was given back to its caching allocator: one between two live blocks, one that was merged
// with its neighbour, and one whose first half was given again.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t between 2>&1 >/dev/null | %golden.1 | FileCheck %s
// RUN: not %run %t merged 2>&1 | FileCheck %s
// RUN: not %run %t reused 2>&1 | FileCheck %s --check-prefix=REUSED
// RUN: %run %t fine 2>&1 >/dev/null | %silent
#include "inputs/caching.h"
#include <cstring>

__global__ void sum(const float *values, int first, int count, float *result) {
  float total = 0;
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free on {{cpu|cuda}} device 0
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 sum(float const*, int, int, float*) {{.*}}use-after-free.cu:[[#@LINE+6]]:
  // CHECK: is located 0 bytes inside of 2048-byte region
  // REUSED: ERROR: AddressSanitizer: heap-use-after-free on {{cpu|cuda}} device 0
  // REUSED: #0 sum(float const*, int, int, float*) {{.*}}use-after-free.cu:[[#@LINE+3]]:
  // REUSED: is located 1024 bytes inside of 2048-byte region
  for (int i = first; i < first + count; ++i)
    total += values[i];
  *result = total;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  CachingAllocator allocator;
  float *result = (float *)allocator.malloc(512), *before = (float *)allocator.malloc(2048);
  float *values = (float *)allocator.malloc(2048);
  float *after = (float *)allocator.malloc(2048);
  cudaMemset(before, 0, 2048);
  cudaMemset(values, 0, 2048);
  cudaMemset(after, 0, 2048);
  sum<<<1, 1>>>(values, 0, 512, result);
  cudaDeviceSynchronize(); // else the report may name this launch
  if (!strcmp(what, "merged"))
    allocator.free(before);
  // CHECK: freed by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in gasan_region_unregister
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE+6]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE-13]]:
  // REUSED: freed by host thread T0 here:
  // REUSED-NEXT: #0 {{0x[0-9a-f]+}} in gasan_region_unregister
  // REUSED: in main {{.*}}use-after-free.cu:[[#@LINE+1]]:
  allocator.free(values);
  if (!strcmp(what, "between") || !strcmp(what, "merged")) {
    sum<<<1, 1>>>(values, 0, 512, result);
    cudaDeviceSynchronize(); // the report comes before the block is given again
  }
  float *half = (float *)allocator.malloc(1024);
  if (half != values && strcmp(what, "merged"))
    return 3;
  cudaMemset(half, 0, 1024);
  sum<<<1, 1>>>(half, 0, 256, result);
  if (!strcmp(what, "reused"))
    sum<<<1, 1>>>(values + 256, 0, 256, result);
  sum<<<1, 1>>>(after, 0, 512, result);
  return cudaDeviceSynchronize() != cudaSuccess;
}
