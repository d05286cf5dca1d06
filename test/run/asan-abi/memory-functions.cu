// LLVM's AddressSanitizer pass replaces copies and fills by __asan_memcpy, __asan_memmove and __asan_memset. These
// functions check the read, then the write, and then copy.
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 1 2>&1 | FileCheck %s
// RUN: %run %t 0 2>&1 >/dev/null | %silent
#include <cstdio>
#include <cstdlib>
#include <cstring>

// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: READ of size 300 at {{.*}} by device thread (0,0,0)
// CHECK-NEXT: #0 copy(char*, char const*, unsigned long) {{.*}}memory-functions.cu:[[#@LINE+4]]:
// CHECK: is located 0 bytes after 299-byte region
// CHECK: WRITE of size 300 at
__global__ void copy(char *to, const char *from, size_t size) {
  __builtin_memcpy(to, from, size);
}

// CHECK: READ of size 300 at
// CHECK-NEXT: #0 move(char*, char const*, unsigned long) {{.*}}memory-functions.cu:[[#@LINE+3]]:
// CHECK: WRITE of size 300 at
__global__ void move(char *to, const char *from, size_t size) {
  __builtin_memmove(to, from, size);
}

// CHECK: WRITE of size 300 at
// CHECK-NEXT: #0 fill(char*, int, unsigned long) {{.*}}memory-functions.cu:[[#@LINE+2]]:
__global__ void fill(char *to, int value, size_t size) {
  __builtin_memset(to, value, size);
}
// CHECK-NOT: ERROR: AddressSanitizer

static int wrong;
static void expect(bool good, int line) {
  if (!good)
    printf("line %d\n", line);
  wrong += !good;
}
#define EXPECT(condition) expect(condition, __LINE__)

int main(int, char **arguments) {
  bool bugs = atoi(arguments[1]);
  char *big, *small, host[600], seen[600];
  cudaMalloc(&big, 600);
  cudaMalloc(&small, 299);
  for (int i = 0; i < 600; ++i)
    host[i] = char(i * 7);
  cudaMemcpy(big, host, 600, cudaMemcpyHostToDevice);
  if (bugs) {
    copy<<<1, 1>>>(big, small, 300); // reported and not executed
    cudaDeviceSynchronize();
    copy<<<1, 1>>>(small, big, 300);
    cudaDeviceSynchronize();
    move<<<1, 1>>>(big, small, 300);
    cudaDeviceSynchronize();
    move<<<1, 1>>>(small, big, 300);
    cudaDeviceSynchronize();
    fill<<<1, 1>>>(small, 5, 300);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpy(seen, big, 600, cudaMemcpyDeviceToHost);
    EXPECT(memcmp(host, seen, 600) == 0);
  }
  copy<<<1, 1>>>(small, big + 17, 299);
  cudaMemcpy(seen, small, 299, cudaMemcpyDeviceToHost);
  EXPECT(memcmp(host + 17, seen, 299) == 0);
  move<<<1, 1>>>(big + 1, big, 500); // source and destination overlap, in both directions
  move<<<1, 1>>>(big + 9, big + 20, 500);
  fill<<<1, 1>>>(big + 3, 300, 5); // memset uses the low byte only
  fill<<<1, 1>>>(big + 599, 1, 0);
  cudaMemcpy(seen, big, 600, cudaMemcpyDeviceToHost);
  memmove(host + 1, host, 500);
  memmove(host + 9, host + 20, 500);
  memset(host + 3, 300, 5);
  EXPECT(memcmp(host, seen, 600) == 0);
  cudaFree(big);
  cudaFree(small);
  return wrong != 0;
}
