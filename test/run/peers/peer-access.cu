// REQUIRES: two-devices
// A kernel of device 0 uses device 1's chunks, small and large, allocated before and after peer access was enabled.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow -DFIXED %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
#include <cstdio>

__global__ void fill(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = i;
}

__global__ void add(const int *values, int count, unsigned long long *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(sum, (unsigned long long)values[i]);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on cuda device 0 address
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread
  // CHECK-NEXT: #0 add(int const*, int, unsigned long long*) {{.*}}peer-access.cu:[[#@LINE-3]]:
  // CHECK: in main {{.*}}peer-access.cu:
  // CHECK: is located 0 bytes after 4000-byte region
  // CHECK: in allocate(int) {{.*}}peer-access.cu:[[#@LINE+5]]:
}

__attribute__((noinline)) static int *allocate(int count) {
  int *values = nullptr;
  cudaMalloc(&values, count * sizeof(int));
  fill<<<(count + 255) / 256, 256>>>(values, count);
  return cudaDeviceSynchronize() == cudaSuccess ? values : nullptr;
}

static bool sums_up(const int *values, int count, int read, unsigned long long *sum) {
  unsigned long long expected = (unsigned long long)count * (count - 1) / 2, found = 0;
  cudaMemset(sum, 0, sizeof *sum);
  add<<<(read + 255) / 256, 256>>>(values, read, sum);
  return cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess && found == expected;
}

int main() {
  int can = 0;
  unsigned long long *sum;
  if (cudaDeviceCanAccessPeer(&can, 0, 1) != cudaSuccess || !can) {
    fprintf(stderr, "these two devices cannot access each other: the test needs others\n");
    return 2;
  }
  cudaSetDevice(1);
  int *small = allocate(1000), *large = allocate(3 << 20);
  cudaSetDevice(0);
  cudaMalloc(&sum, sizeof *sum);
  if (cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess)
    return 3;
  if (cudaDeviceEnablePeerAccess(1, 0) != cudaErrorPeerAccessAlreadyEnabled)
    return 4;
  (void)cudaGetLastError();
  if (!sums_up(small, 1000, 1000, sum) || !sums_up(large, 3 << 20, 3 << 20, sum))
    return 5;
  cudaSetDevice(1);
  int *later = allocate(5000), *much_later = allocate(2 << 20);
  cudaSetDevice(0);
  if (!sums_up(later, 5000, 5000, sum) || !sums_up(much_later, 2 << 20, 2 << 20, sum))
    return 6;
#ifndef FIXED
  sums_up(small, 1000, 1001, sum);
#endif
  if (cudaFree(small) != cudaSuccess || cudaFree(large) != cudaSuccess)
    return 7;
  if (cudaDeviceDisablePeerAccess(1) != cudaSuccess || cudaDeviceDisablePeerAccess(1) != cudaErrorPeerAccessNotEnabled)
    return 8;
  (void)cudaGetLastError();
  cudaSetDevice(1);
  return cudaFree(later) != cudaSuccess || cudaFree(much_later) != cudaSuccess;
}
