// A bad call prints a message, returns the reason, and changes nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s --implicit-check-not=gasan:
#include <cstdio>
#include <gasan/gasan.h>

#define EXPECT(result, call)                                                                                           \
  do {                                                                                                                 \
    if ((call) != (result))                                                                                            \
      printf("%s does not return %s\n", #call, #result), wrong = 1;                                                    \
  } while (0)

__global__ void fill(char *bytes, int count) {
  bytes[threadIdx.x < count ? threadIdx.x : 0] = 1;
}

int main() {
  int wrong = 0;
  char *heap, local;
  const void *base;
  size_t size;
  cudaMalloc(&heap, 4096);
  EXPECT(GASAN_RESULT_NOT_IN_HEAP, gasan_region_find(heap, &base, &size));
  // CHECK: gasan: gasan_heap_register has no effect: the size is 0; it must be at least 1
  EXPECT(GASAN_RESULT_EMPTY, gasan_heap_register(heap, 0));
  // CHECK: gasan: gasan_heap_register has no effect: [{{.*}}) is not in one live allocation of cudaMalloc
  EXPECT(GASAN_RESULT_NOT_IN_CHUNK, gasan_heap_register(heap, 4097));
  // CHECK: gasan: gasan_heap_register has no effect: [{{.*}}) is not in one live allocation of cudaMalloc
  EXPECT(GASAN_RESULT_NOT_IN_CHUNK, gasan_heap_register(&local, 1));
  // CHECK: gasan: gasan_region_register has no effect: [{{.*}}) is not in one registered heap; register the heap first
  EXPECT(GASAN_RESULT_NOT_IN_HEAP, gasan_region_register(heap, 100));
  EXPECT(GASAN_RESULT_OK, gasan_heap_register(heap, 4096));
  // CHECK: gasan: gasan_heap_register has no effect: [{{.*}}) overlaps [{{.*}}), which is registered
  EXPECT(GASAN_RESULT_OVERLAP, gasan_heap_register(heap + 100, 100));
  EXPECT(GASAN_RESULT_OK, gasan_region_register(heap + 100, 100));
  // CHECK: gasan: gasan_region_register has no effect: [{{.*}}) overlaps [{{.*}}), which is registered
  EXPECT(GASAN_RESULT_OVERLAP, gasan_region_register(heap + 50, 51));
  // CHECK: gasan: gasan_region_register has no effect: [{{.*}}) is not in one registered heap
  EXPECT(GASAN_RESULT_NOT_IN_HEAP, gasan_region_register(heap + 4000, 97));
  // CHECK: gasan: gasan_region_unregister has no effect: no registered region begins at 0x{{[0-9a-f]+}}; the nearest is
  EXPECT(GASAN_RESULT_NO_REGION, gasan_region_unregister(heap + 101));
  // CHECK: gasan: gasan_region_resize has no effect: no registered region begins at 0x{{[0-9a-f]+}}; the nearest is
  EXPECT(GASAN_RESULT_NO_REGION, gasan_region_resize(heap + 101, 10));
  // CHECK: gasan: gasan_heap_unregister has no effect: no registered heap begins at 0x
  EXPECT(GASAN_RESULT_NO_HEAP, gasan_heap_unregister(heap + 100));
  // CHECK: gasan: gasan_heap_reset has no effect: no registered heap begins at 0x
  EXPECT(GASAN_RESULT_NO_HEAP, gasan_heap_reset(heap + 100));
  EXPECT(GASAN_RESULT_OK, gasan_region_find(heap + 150, &base, &size));
  wrong |= base != heap + 100 || size != 100;
  EXPECT(GASAN_RESULT_OK, gasan_region_resize(heap + 100, 200));
  fill<<<1, 256>>>(heap + 100, 200);
  EXPECT(GASAN_RESULT_OK, gasan_region_unregister(heap + 100));
  // CHECK: gasan: gasan_region_unregister has no effect: no registered region begins at {{.*}}, which is unregistered
  EXPECT(GASAN_RESULT_NO_REGION, gasan_region_unregister(heap + 100));
  EXPECT(GASAN_RESULT_NO_REGION, gasan_region_find(heap + 150, &base, &size));
  EXPECT(GASAN_RESULT_OK, gasan_region_register(heap, 4096));
  EXPECT(GASAN_RESULT_OK, gasan_heap_reset(heap));
  EXPECT(GASAN_RESULT_OK, gasan_heap_unregister(heap));
  fill<<<1, 256>>>(heap, 200);
  EXPECT(GASAN_RESULT_OK, gasan_heap_register(heap, 4096));
  cudaFree(heap); // ends the heap
  wrong |= cudaDeviceSynchronize() != cudaSuccess;
  return wrong;
}
