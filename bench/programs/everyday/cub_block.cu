/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Running sums and the greatest number of each tile, by CUB's functions for blocks.
// Stands for kernels from a template library: transposes in shared memory, and guards inside the library.
#include "../program.h"

#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

constexpr int kThreads = 128, kPerThread = 7, kTile = kThreads * kPerThread;

struct Greater {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__global__ void scan_tiles(const int *in, int *out, int *sums, int *greatest, int count) {
  using Load = cub::BlockLoad<int, kThreads, kPerThread, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kPerThread, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;
  int start = blockIdx.x * kTile, valid = min(kTile, count - start), numbers[kPerThread], sum;
  if (valid == kTile)
    Load(shared.load).Load(in + start, numbers);
  else
    Load(shared.load).Load(in + start, numbers, valid, 0);
  __syncthreads();
  int best = numbers[0];
  for (int i = 1; i < kPerThread; i++)
    best = max(best, numbers[i]);
  best = Reduce(shared.reduce).Reduce(best, Greater());
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(numbers, numbers, sum);
  __syncthreads();
  Store(shared.store).Store(out + start, numbers, valid);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    greatest[blockIdx.x] = best;
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(6001, 40000001), tiles = divide_up(count, kTile);
  auto make = [] __host__ __device__(size_t i) { return int(scramble(i) % 100000); };
  int *in = program.allocate_made<int>(count, make), *out = program.allocate<int>(count);
  int *sums = program.allocate<int>(tiles), *greatest = program.allocate<int>(tiles);
  program.time([&] { scan_tiles<<<tiles, kThreads>>>(in, out, sums, greatest, count); });
  auto check = [&](size_t tile) {
    int first = tile * kTile, last = std::min(first + kTile, count), sum = 0, best = 0;
    std::vector<int> scanned = copy_back(out + first, last - first);
    for (int i = first; i < last; i++) {
      if (scanned[i - first] != sum)
        return false;
      sum += make(i);
      best = std::max(best, make(i));
    }
    return fetch(sums + tile) == sum && fetch(greatest + tile) == best;
  };
  return program.finish(program.verify(tiles, check, kTile));
}
