// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-launch-proof=off %s -o %t.all
// RUN: %run %t.all 2>&1 >/dev/null | %silent
// A cooperative launch with as many blocks as the device has room for without checks. The kernel has 32 registers at
// most, and more with checks.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

static const int Threads = 1024, Rounds = 4;

__global__ void step(const int *where, int *from, int *to, int rounds) {
  int own = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK: READ of size 4
    // CHECK: #0 step(int const*, int*, int*, int) {{.*}}full-grid.cu:[[#@LINE+1]]:
    to[own] = from[where[own]] + from[where[own + 1]] + from[where[own + 2]] + from[where[own + 3]];
    // CHECK: 0 bytes after {{[0-9]+}}-byte region
    cooperative_groups::this_grid().sync();
    int *swapped = to;
    to = from;
    from = swapped;
  }
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int blocks = device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / Threads), count = blocks * Threads,
      rounds = Rounds;
  std::vector<int> where(count + 3), before(count), after(count);
  for (int i = 0; i < count + 3; i++)
    where[i] = int(i * 37ll % count);
  for (int i = 0; i < count; i++)
    before[i] = i % 11;
  int *places, *from, *to;
  cudaMalloc(&places, where.size() * sizeof(int));
  cudaMalloc(&from, count * sizeof(int));
  cudaMalloc(&to, count * sizeof(int));
#ifndef FIXED
  where[count / 2] = count;
#endif
  cudaMemcpy(places, where.data(), where.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(from, before.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  void *arguments[] = {&places, &from, &to, &rounds};
  cudaError_t error =
      cudaLaunchCooperativeKernel(reinterpret_cast<void *>(step), blocks, Threads, arguments, 0, nullptr);
  if (error == cudaSuccess)
    error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    printf("%d blocks: %s\n", blocks, cudaGetErrorString(error));
    return 1;
  }
  std::vector<int> got(count);
  cudaMemcpy(got.data(), from, count * sizeof(int), cudaMemcpyDeviceToHost);
#ifdef FIXED
  for (int round = 0; round < Rounds; round++) {
    for (int i = 0; i < count; i++)
      after[i] = before[where[i]] + before[where[i + 1]] + before[where[i + 2]] + before[where[i + 3]];
    before.swap(after);
  }
  for (int i = 0; i < count; i++)
    if (got[i] != before[i]) {
      printf("value %d is %d, not %d\n", i, got[i], before[i]);
      return 1;
    }
#endif
  printf("%d blocks\n", blocks);
}
