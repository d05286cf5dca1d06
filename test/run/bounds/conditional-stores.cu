// Stores that conditions guard, as in a compaction: their checks are made together, before the first condition. A bad
// place whose condition is false is not reported; of two bad ones, the first in program order is. What earlier
// stores wrote is read by later loads of the same batch.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t none 2>&1 >/dev/null | %silent
// RUN: not %run %t shared 2>&1 >/dev/null | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t global 2>&1 >/dev/null | FileCheck %s --check-prefix=GLOBAL
// RUN: not %run %t both 2>&1 >/dev/null | FileCheck %s --check-prefix=SHARED
// RUN: %gasan -O2 -mllvm -gasan-batch-checks=false %s -o %t.alone
// RUN: %run %t.alone none 2>&1 >/dev/null | %silent
// RUN: not %run %t.alone both 2>&1 >/dev/null | FileCheck %s --check-prefix=SHARED
#include <cstring>

constexpr int kThreads = 64, kItems = 4, kAll = kThreads * kItems;

struct Item {
  int value, place, isChosen;
};

__global__ void compact(const Item *items, int first, int *to, int *last) {
  __shared__ int chosen[kAll];
  const Item *own = items + threadIdx.x * kItems;
  Item item[kItems];
  for (int i = 0; i < kItems; i++)
    item[i] = own[i];
#pragma unroll
  for (int i = 0; i < kItems; i++)
    if (item[i].isChosen)
      // SHARED: ERROR: AddressSanitizer: shared-buffer-overflow
      // SHARED-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (5,0,0) block (0,0,0) lane 5{{$}}
      // SHARED-NEXT: #0 compact(Item const*, int, int*, int*) {{.*}}conditional-stores.cu:[[#@LINE+2]]:
      // SHARED: is located 0 bytes after {{.*}}'{{.*}}chosen' {{.*}}of size 1024
      chosen[item[i].place - first] = item[i].value;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kItems; i++)
    if (item[i].isChosen)
      // GLOBAL: ERROR: AddressSanitizer: heap-buffer-overflow
      // GLOBAL-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (6,0,0) block (0,0,0) lane 6{{$}}
      // GLOBAL-NEXT: #0 compact(Item const*, int, int*, int*) {{.*}}conditional-stores.cu:[[#@LINE+6]]:
      // GLOBAL: is located 0 bytes after 1024-byte region
      // GLOBAL: allocated by host thread T0 here:
      // GLOBAL: cudaMalloc
      // GLOBAL: main {{.*}}conditional-stores.cu:[[#@LINE+28]]:
      // The place of thread 6 is the end of `to` and still in `chosen`.
      to[item[i].place - first + (item[i].isChosen - 1)] = chosen[item[i].place - first];
  // Written by two stores in a row; the load in between must see the first one.
  last[threadIdx.x + first - 10] = 7;
  const int seen = last[threadIdx.x + first - 10];
  last[threadIdx.x + first - 10] = seen + 1;
}

int main(int, char **arguments) {
  const bool both = !strcmp(arguments[1], "both");
  Item host[kAll], *items;
  int *to, *last, result[kAll], ends[kThreads];
  for (int i = 0; i < kAll; i++)
    host[i] = {i * 3, kAll - 1 - i + 10, i % 3 != 0};
  for (int i = 0; i < kAll; i += 3)
    host[i].place = 1 << 20; // bad, but not chosen
  for (int i = 0; i < kAll; i++)
    if (host[i].isChosen)
      result[host[i].place - 10] = host[i].value;
  if (both || !strcmp(arguments[1], "shared"))
    host[5 * kItems + 2].place = kAll + 10;
  if (both || !strcmp(arguments[1], "global")) {
    host[6 * kItems + 2].place = kAll - 1 + 10;
    host[6 * kItems + 2].isChosen = 2;
  }
  cudaMalloc(&items, sizeof host);
  cudaMalloc(&last, sizeof ends);
  cudaMalloc(&to, kAll * sizeof(int));
  cudaMemcpy(items, host, sizeof host, cudaMemcpyHostToDevice);
  compact<<<1, kThreads>>>(items, 10, to, last);
  int got[kAll];
  cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(ends, last, sizeof ends, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kAll; i++)
    if (i % 3 && got[kAll - 1 - i] != result[kAll - 1 - i])
      return 2;
  cudaFree(items);
  cudaFree(to);
  cudaFree(last);
  return ends[0] != 8 || ends[kThreads - 1] != 8;
}
