// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=quarantine_size_mb=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %options=quarantine_size_mb=0 %run %t.fixed 2>&1 >/dev/null | %silent
// There are more allocations than tags that name one. Later allocations get one of 15 random tags, never the tag of the
// last chunk at their addresses.
#include <cstdint>
#include <cstring>

constexpr int kMany = 1000;

static int tag(const void *pointer) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(pointer) >> 56);
}

__global__ void mark(int *const *all, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    for (int word = 0; word < 16; word++)
      all[i][word] += i;
}

__global__ void read(const int *values, int *sum) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 4
  // CHECK-NEXT: #0 read(int const*, int*) {{.*}}random-tags.cu:[[#@LINE+1]]:
  *sum = values[15];
}

int main() {
  int *all[kMany], **table, *sum, host[16];
  bool seen[256] = {};
  for (int i = 0; i < kMany; i++) {
    cudaMalloc(&all[i], sizeof host);
    cudaMemset(all[i], 0, sizeof host);
    seen[tag(all[i])] = true;
    if (i < 240 ? tag(all[i]) != 16 + i : tag(all[i]) < 1 || tag(all[i]) > 15)
      return 2;
  }
  for (int i = 1; i < 256; i++)
    if (!seen[i])
      return 3;
  if (cudaMalloc(&table, sizeof all) != cudaSuccess || cudaMalloc(&sum, sizeof *sum) != cudaSuccess)
    return 4;
  cudaMemcpy(table, all, sizeof all, cudaMemcpyHostToDevice);
  mark<<<1, 256>>>(table, kMany);
  for (int i = 0; i < kMany; i++)
    if (cudaMemcpy(host, all[i], sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess || host[15] != i)
      return 5;

  int *stale = all[700];
  cudaFree(stale);
  cudaMalloc(&all[700], sizeof host);
  if ((reinterpret_cast<uintptr_t>(all[700]) ^ reinterpret_cast<uintptr_t>(stale)) << 8 || all[700] == stale)
    return 6;
  cudaMemset(all[700], 0, sizeof host);
#ifdef FIXED
  stale = all[700];
#endif
  read<<<1, 1>>>(stale, sum);
  // CHECK: is located 60 bytes inside of 64-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}random-tags.cu:[[#@LINE-11]]:
  // CHECK: previously allocated by host thread T0 here:
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 7;
  for (int *pointer : all)
    if (cudaFree(pointer) != cudaSuccess)
      return 8;
  return cudaFree(table) != cudaSuccess || cudaFree(sum) != cudaSuccess;
}
