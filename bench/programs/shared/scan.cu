/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Running sums: blocks scan their tiles, one block scans the tiles' sums, then all blocks add the sums before theirs.
#include "../program.h"

constexpr int kThreads = 512, kPerThread = 8, kTile = kThreads * kPerThread;

// Replaces each sum by that of all up to it.
__device__ void scan_block(unsigned *sums) {
  for (int distance = 1; distance < kThreads; distance *= 2) {
    unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
}

__global__ void scan_tiles(const unsigned *in, unsigned *out, unsigned *tile_sums, unsigned count) {
  __shared__ unsigned sums[kThreads];
  unsigned begin = blockIdx.x * kTile + threadIdx.x * kPerThread, values[kPerThread], sum = 0;
  for (int i = 0; i < kPerThread; i++)
    values[i] = sum += begin + i < count ? in[begin + i] : 0;
  sums[threadIdx.x] = sum;
  __syncthreads();
  scan_block(sums);
  unsigned before = threadIdx.x ? sums[threadIdx.x - 1] : 0;
  for (int i = 0; i < kPerThread; i++)
    if (begin + i < count)
      out[begin + i] = before + values[i];
  if (threadIdx.x == kThreads - 1)
    tile_sums[blockIdx.x] = sums[kThreads - 1];
}

__global__ void scan_sums(unsigned *tile_sums, unsigned count) {
  __shared__ unsigned sums[kThreads];
  unsigned before = 0;
  for (unsigned start = 0; start < count; start += kThreads) {
    unsigned i = start + threadIdx.x;
    sums[threadIdx.x] = i < count ? tile_sums[i] : 0;
    __syncthreads();
    scan_block(sums);
    if (i < count)
      tile_sums[i] = before + sums[threadIdx.x];
    before += sums[kThreads - 1];
    __syncthreads();
  }
}

__global__ void add_before(unsigned *out, const unsigned *tile_sums, unsigned count) {
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (unsigned at = (blockIdx.x + 1) * kTile + i; at < count)
      out[at] += tile_sums[blockIdx.x];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(50000, 64 << 20), tiles = divide_up(count, kTile);
  unsigned *in = program.allocate_made<unsigned>(count, [] __host__ __device__(size_t i) { return scramble(i); });
  unsigned *out = program.allocate<unsigned>(count), *tile_sums = program.allocate<unsigned>(tiles);
  program.time([&] {
    scan_tiles<<<tiles, kThreads>>>(in, out, tile_sums, count);
    scan_sums<<<1, kThreads>>>(tile_sums, tiles);
    add_before<<<tiles, kThreads>>>(out, tile_sums, count);
  });
  std::vector<unsigned> result = copy_back(out, count);
  unsigned sum = 0;
  bool verified = true;
  for (unsigned i = 0; i < count; i++)
    verified &= result[i] == (sum += scramble(i));
  return program.finish(verified);
}
