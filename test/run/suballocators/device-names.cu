// ASan's functions in kernels: which bytes are accessible, and which memory has an address.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 | FileCheck %s --check-prefix=SHADOW
// RUN: %gasan -O0 %s -o %t.plain
// RUN: %run %t.plain 2>&1 | FileCheck %s
//
// A kernel that asks first makes no bad access; one that does not ask makes it.
// RUN: %run %t ask 2>&1 >/dev/null | %silent
// RUN: not %run %t rush 2>&1 | FileCheck %s --check-prefix=RUSH
// RUSH: ERROR: AddressSanitizer: heap-buffer-overflow
// RUSH: #0 fill(int*, int, bool) {{.*}}device-names.cu:[[#@LINE+37]]:
//
// CHECK: all of 100 bytes: no poison
// CHECK-NEXT: 101 bytes: from byte 100
// CHECK-NEXT: from the middle: from byte 100
// CHECK-NEXT: in front: from byte -1
// CHECK-NEXT: freed: from byte 0
// CHECK-NEXT: region: from byte 40
// CHECK-NEXT: behind the region: from byte 41
// CHECK-NEXT: variable: no poison
// CHECK-NEXT: behind the variable: unknown, so no poison
// CHECK-NEXT: of malloc: from byte 24
// CHECK-NEXT: null: poison
// CHECK-NEXT: local: no poison
// CHECK-NEXT: shared: no poison
// CHECK-NEXT: one byte: 0 1
// CHECK-NEXT: located: heap, byte 0, 100 bytes
// CHECK-NEXT: located in the region: heap, byte 0, 40 bytes
// CHECK-NEXT: located of malloc: heap, byte 0, 24 bytes
// CHECK-NEXT: located behind: unknown
// CHECK-NEXT: located a variable: unknown
// SHADOW: all of 100 bytes: no poison
// SHADOW-NEXT: 101 bytes: from byte 100
// SHADOW-NEXT: from the middle: from byte 100
// SHADOW-NEXT: in front: from byte -1
// SHADOW-NEXT: freed: from byte 0
// SHADOW-NEXT: region: from byte 40
#include <gasan/gasan.h>

#include <cstdio>
#include <cstring>

__device__ int variable[3];

__global__ void fill(int *values, int count, bool asks) {
  int i = threadIdx.x;
  if (!asks || !__asan_region_is_poisoned(&values[i], sizeof(int)))
    values[i] = count;
}

__device__ void tell(const char *what, char *from, size_t size, char *base) {
  char *first = (char *)__asan_region_is_poisoned(from, size);
  if (first)
    printf("%s: from byte %d\n", what, int(first - base));
  else
    printf("%s: no poison\n", what);
}

__device__ bool is_poisoned(const volatile void *address) {
  return __asan_address_is_poisoned(address);
}

__device__ void locate(const char *what, char *address, char *expected) {
  char name[8] = "x";
  void *base;
  size_t size;
  const char *kind = __asan_locate_address(address, name, sizeof name, &base, &size);
  if (kind[0] == 'h' && !name[0])
    printf("located%s%s: heap, byte %d, %d bytes\n", *what ? " " : "", what, int((char *)base - expected), int(size));
  else
    printf("located %s: unknown\n", what);
}

__global__ void ask(char *values, char *freed, char *region) {
  __shared__ int shared[4];
  shared[threadIdx.x] = 1;
  int local[4] = {shared[0]};
  tell("all of 100 bytes", values, 100, values);
  tell("101 bytes", values, 101, values);
  tell("from the middle", values + 50, 100, values);
  tell("in front", values - 1, 4, values);
  tell("freed", freed, 4, freed);
  tell("region", region, 64, region);
  tell("behind the region", region + 41, 4, region);
  tell("variable", (char *)variable, sizeof variable, (char *)variable);
  printf("behind the variable: %s\n", is_poisoned(variable + 3) ? "poison" : "unknown, so no poison");
  char *own = (char *)malloc(24);
  tell("of malloc", own, 100, own);
  printf("null: %s\n", is_poisoned((char *)1) ? "poison" : "none");
  tell("local", (char *)local, sizeof local, (char *)local);
  tell("shared", (char *)shared, sizeof shared, (char *)shared);
  printf("one byte: %d %d\n", __asan_address_is_poisoned(values + 99), __asan_address_is_poisoned(values + 100));
  locate("", values + 50, values);
  locate("in the region", region + 39, region);
  locate("of malloc", own + 1, own);
  locate("behind", values + 100, values);
  locate("a variable", (char *)variable, (char *)variable);
  free(own);
}

int main(int count, char **arguments) {
  char *values, *freed, *heap;
  cudaMalloc(&values, 100);
  cudaMalloc(&freed, 100);
  cudaFree(freed);
  cudaMalloc(&heap, 4096);
  gasan_heap_register(heap, 4096);
  gasan_region_register(heap + 512, 40);
  if (count > 1)
    fill<<<1, 32>>>((int *)values, 1, !strcmp(arguments[1], "ask"));
  else
    ask<<<1, 1>>>(values, freed, heap + 512);
  return cudaDeviceSynchronize() != cudaSuccess;
}
