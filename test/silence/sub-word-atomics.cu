// Atomics of 16 bits and of single bytes by compare-and-swap of the surrounding word, in global and shared memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cuda_fp16.h>

static __device__ void add_byte(unsigned char *byte, unsigned char value) {
  unsigned *word = reinterpret_cast<unsigned *>(reinterpret_cast<uintptr_t>(byte) & ~uintptr_t(3));
  unsigned shift = (reinterpret_cast<uintptr_t>(byte) & 3) * 8, old = *word, seen;
  do {
    seen = old;
    unsigned sum = ((seen >> shift) + value) & 255;
    old = atomicCAS(word, seen, (seen & ~(255u << shift)) | sum << shift);
  } while (old != seen);
}

__global__ void count_bytes(unsigned char *bins, int count) {
  __shared__ unsigned char local[64];
  if (threadIdx.x < 64)
    local[threadIdx.x] = 0;
  __syncthreads();
  add_byte(&local[threadIdx.x % 64], 1);
  __syncthreads();
  if (threadIdx.x < count)
    add_byte(&bins[threadIdx.x], local[threadIdx.x % 64]);
}

__global__ void swap_halves(unsigned short *values, int count) {
  if (threadIdx.x < count)
    atomicCAS(&values[threadIdx.x], (unsigned short)threadIdx.x, (unsigned short)(threadIdx.x + 100));
}

__global__ void add_halves(__half *values) {
  atomicAdd(&values[threadIdx.x & 1], __float2half(1));
}

int main() {
  Buffer<unsigned char> bins(std::vector<unsigned char>(60, 3));
  count_bytes<<<2, 128>>>(bins, 60);
  EXPECT(bins.host() == std::vector<unsigned char>(60, 7), "%d", bins.host()[0]);
  std::vector<unsigned short> shorts(31), swapped(31);
  for (int i = 0; i < 31; ++i)
    shorts[i] = i, swapped[i] = i + 100;
  Buffer<unsigned short> data(shorts);
  swap_halves<<<1, 32>>>(data, 31);
  EXPECT(data.host() == swapped, "16 bits");
  Buffer<__half> halves(2);
  CUDA(cudaMemset(halves, 0, 4));
  add_halves<<<1, 64>>>(halves);
  std::vector<__half> got = halves.host();
  EXPECT(__half2float(got[0]) == 32 && __half2float(got[1]) == 32, "%g", __half2float(got[1]));
  return passed();
}
