// Blocks of a pool in RMM's style, of 256 bytes and less, several in one block of gasan's tables; and an arena that
// packs objects of any size. Bounds are exact to a byte.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t after 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not %run %t before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t packed 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t loaded 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t.checked
// RUN: not %run %t.checked after 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not %run %t.checked before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t.checked packed 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: %run %t.checked fine 2>&1 >/dev/null | %silent
#include "inputs/pool_resource.h"
#include <cstring>

__global__ void fill(char *bytes, int first, int count) {
  int i = first + threadIdx.x;
  // AFTER: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // AFTER-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (100,0,0)
  // AFTER-NEXT: #0 fill(char*, int, int) {{.*}}small.cu:[[#@LINE+14]]:
  // AFTER: is located 0 bytes after 100-byte region
  // BEFORE: ERROR: AddressSanitizer: heap-buffer-overflow
  // BEFORE-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // BEFORE-NEXT: #0 fill(char*, int, int) {{.*}}small.cu:[[#@LINE+10]]:
  // BEFORE: is located 1 bytes before 7-byte region
  // PACKED: ERROR: AddressSanitizer: heap-buffer-overflow
  // PACKED-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (7,0,0)
  // PACKED-NEXT: #0 fill(char*, int, int) {{.*}}small.cu:[[#@LINE+6]]:
  // PACKED: is located 0 bytes after 7-byte region
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 fill(char*, int, int) {{.*}}small.cu:[[#@LINE+3]]:
  // FREED: is located 0 bytes inside of 200-byte region
  if (threadIdx.x < count)
    bytes[i] = 1;
}

struct List {
  char *at[4];
};

// Pointers that a kernel loads from memory are looked up there.
__global__ void fill_all(const List *list, int count) {
  // LOADED: ERROR: AddressSanitizer: heap-buffer-overflow
  // LOADED-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (200,0,0)
  // LOADED-NEXT: #0 fill_all(List const*, int) {{.*}}small.cu:[[#@LINE+4]]:
  // LOADED: is located 0 bytes after 200-byte region
  for (int i = 0; i < 4; ++i)
    if (threadIdx.x < count)
      list->at[i][threadIdx.x] = i;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  PoolResource pool(1 << 20);
  char *a = (char *)pool.allocate(100), *b = (char *)pool.allocate(256), *c = (char *)pool.allocate(200);
  if (b != a + 256 || c != b + 256)
    return 3;
  fill<<<1, 256>>>(a, 0, !strcmp(what, "after") ? 101 : 100);
  fill<<<1, 256>>>(b, 0, 256);
  fill<<<1, 256>>>(c, 0, 200);

  List host = {{(char *)pool.allocate(200), (char *)pool.allocate(200), (char *)pool.allocate(200),
                (char *)pool.allocate(200)}},
       *list = (List *)pool.allocate(sizeof(List));
  cudaMemcpy(list, &host, sizeof host, cudaMemcpyHostToDevice);
  fill_all<<<1, 256>>>(list, !strcmp(what, "loaded") ? 201 : 200);

  // An arena inside of a block of the pool is no heap of its own; one inside of another allocation is.
  char *arena, *objects[40];
  cudaMalloc(&arena, 10000);
  gasan_heap_register(arena, 10000);
  for (int i = 0; i < 40; ++i) {
    objects[i] = arena + 13 + 7 * i;
    gasan_region_register(objects[i], 7);
  }
  for (int i = 0; i < 40; ++i)
    fill<<<1, 32>>>(objects[i], 0, 7);
  // An object that begins where another ends may be the other's end pointer, so this one has none before it.
  if (!strcmp(what, "before"))
    fill<<<1, 1>>>(objects[0], -1, 1);
  if (!strcmp(what, "packed"))
    fill<<<1, 32>>>(objects[20], 0, 8);
  pool.deallocate(c);
  if (!strcmp(what, "freed"))
    fill<<<1, 256>>>(c, 0, 200);
  cudaFree(arena);
  return cudaDeviceSynchronize() != cudaSuccess;
}
