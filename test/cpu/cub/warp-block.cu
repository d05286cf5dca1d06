// cub's primitives for blocks and warps: scans, reductions, radix sort, load and store by transposition, for full and
// partial tiles.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "../inputs/self_check.h"

#include <algorithm>

constexpr int kThreads = 64, kItems = 3, kTile = kThreads * kItems;

__global__ void tile(const uint32_t *in, uint32_t *sorted, uint32_t *scanned, uint32_t *totals, int n) {
  using Load = cub::BlockLoad<uint32_t, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<uint32_t, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<uint32_t, kThreads, kItems>;
  using Scan = cub::BlockScan<uint32_t, kThreads>;
  using Reduce = cub::BlockReduce<uint32_t, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;
  const int base = blockIdx.x * kTile, valid = min(kTile, n - base);
  uint32_t values[kItems], prefix[kItems];
  Load(shared.load).Load(in + base, values, valid, ~0u);
  __syncthreads();
  uint32_t mine = 0, total;
  for (int i = 0; i < kItems; i++) {
    prefix[i] = threadIdx.x * kItems + i < valid ? values[i] : 0;
    mine += prefix[i];
  }
  Scan(shared.scan).ExclusiveSum(prefix, prefix, total);
  __syncthreads();
  uint32_t reduced = Reduce(shared.reduce).Sum(mine);
  __syncthreads();
  Sort(shared.sort).Sort(values);
  __syncthreads();
  Store(shared.store).Store(sorted + base, values, valid);
  __syncthreads();
  Store(shared.store).Store(scanned + base, prefix, valid);
  if (threadIdx.x == 0)
    totals[blockIdx.x] = total == reduced ? total : ~total;
}

struct Extreme {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

// Warps of 8 lanes and of 32.
__global__ void warps(const int *in, int *scan8, int *max32) {
  __shared__ typename cub::WarpScan<int, 8>::TempStorage scan[kThreads / 8];
  __shared__ typename cub::WarpReduce<int>::TempStorage reduce[kThreads / 32];
  int i = blockIdx.x * kThreads + threadIdx.x, sum;
  cub::WarpScan<int, 8>(scan[threadIdx.x / 8]).InclusiveSum(in[i], sum);
  scan8[i] = sum;
  int largest = cub::WarpReduce<int>(reduce[threadIdx.x / 32]).Reduce(in[i], Extreme());
  if (threadIdx.x % 32 == 0)
    max32[i / 32] = largest;
}

int main() {
  Random random(5);
  for (int n : {1, kTile - 1, kTile, 5 * kTile + 7}) {
    const int blocks = (n + kTile - 1) / kTile;
    std::vector<uint32_t> in(n), sorted(n), scanned(n), totals(blocks);
    for (uint32_t &v : in)
      v = random.next() >> random.below(20);
    uint32_t *d[4];
    for (uint32_t *&p : d)
      CUDA(cudaMalloc(&p, n * 4));
    CUDA(cudaMemcpy(d[0], in.data(), n * 4, cudaMemcpyHostToDevice));
    tile<<<blocks, kThreads>>>(d[0], d[1], d[2], d[3], n);
    CUDA(cudaMemcpy(sorted.data(), d[1], n * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(scanned.data(), d[2], n * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(totals.data(), d[3], blocks * 4, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) {
      auto first = in.begin() + b * kTile, last = in.begin() + std::min(n, (b + 1) * kTile);
      uint32_t sum = 0;
      for (auto it = first; it != last; ++it) {
        EXPECT(scanned[it - in.begin()] == sum, "n %d: %d", n, int(it - in.begin()));
        sum += *it;
      }
      EXPECT(totals[b] == sum, "n %d, block %d", n, b);
      std::sort(first, last);
    }
    EXPECT(sorted == in, "n %d", n);
    printf("%d: %016llx %016llx\n", n, (unsigned long long)checksum(sorted), (unsigned long long)checksum(scanned));
    for (uint32_t *p : d)
      CUDA(cudaFree(p));
  }
  const int n = 6 * kThreads;
  std::vector<int> in(n), scan(n), largest(n / 32);
  for (int &v : in)
    v = int(random.next()) >> 8;
  int *d[3];
  for (int *&p : d)
    CUDA(cudaMalloc(&p, n * 4));
  CUDA(cudaMemcpy(d[0], in.data(), n * 4, cudaMemcpyHostToDevice));
  warps<<<n / kThreads, kThreads>>>(d[0], d[1], d[2]);
  CUDA(cudaMemcpy(scan.data(), d[1], n * 4, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(largest.data(), d[2], n / 32 * 4, cudaMemcpyDeviceToHost));
  int sum = 0, most = 0;
  for (int i = 0; i < n; i++) {
    sum = i % 8 ? sum + in[i] : in[i];
    EXPECT(scan[i] == sum, "%d", i);
    most = i % 32 && most > in[i] ? most : in[i];
    if (i % 32 == 31)
      EXPECT(largest[i / 32] == most, "warp %d", i / 32);
  }
  for (int *p : d)
    CUDA(cudaFree(p));
  printf("warps %016llx\n", (unsigned long long)checksum(scan));
  return passed();
}
