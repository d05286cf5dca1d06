// Cooperative groups' reduce, inclusive and exclusive scan, invoke_one and memcpy_async, on tiles of every size and on
// blocks, with several operators and types.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

struct Values {
  int sum, least, most, bits, inclusive, exclusive, largestSoFar, leader;
  long long wide;
  double real;
};

template <int Size>
__global__ void algorithms(const int *in, Values *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Size>(block);
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Values v;
  v.sum = cg::reduce(tile, in[t], cg::plus<int>());
  v.least = cg::reduce(tile, in[t], cg::less<int>());
  v.most = cg::reduce(tile, in[t], cg::greater<int>());
  v.bits = cg::reduce(tile, in[t], cg::bit_xor<int>());
  v.wide = cg::reduce(tile, (long long)in[t] << 33, cg::plus<long long>());
  v.real = cg::reduce(tile, in[t] * 0.25, [](double a, double b) { return a + b; });
  v.inclusive = cg::inclusive_scan(tile, in[t]);
  v.exclusive = cg::exclusive_scan(tile, in[t]);
  v.largestSoFar = cg::inclusive_scan(tile, in[t], cg::greater<int>());
  v.leader = cg::invoke_one_broadcast(tile, [&] { return 1000 + (int)tile.meta_group_rank(); });
  cg::invoke_one(tile, [&] { v.leader += 0; });
  out[t] = v;
}

// Through shared memory, with odd numbers of elements.
__global__ void copy(const int *in, int *out, int count) {
  extern __shared__ int staged[];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, in + blockIdx.x * count, count * sizeof(int));
  cg::wait(block);
  for (int i = block.thread_rank(); i < count; i += block.size())
    out[blockIdx.x * count + i] = staged[count - 1 - i];
  block.sync();
  auto tile = cg::tiled_partition<32>(block);
  const int each = count / tile.meta_group_size();
  cg::memcpy_async(tile, staged + tile.meta_group_rank() * each, in + tile.meta_group_rank() * each,
                   each * sizeof(int));
  cg::wait(tile);
  int sum = 0;
  for (int i = tile.thread_rank(); i < each; i += 32)
    sum += staged[tile.meta_group_rank() * each + i];
  sum = cg::reduce(tile, sum, cg::plus<int>());
  if (tile.thread_rank() == 0)
    atomicAdd(&out[gridDim.x * count], sum);
}

template <int Size>
static void check() {
  const int threads = 160, blocks = 4, n = threads * blocks;
  Random random(80 + Size);
  std::vector<int> in(n);
  for (int &x : in)
    x = int(random.below(20001)) - 10000;
  int *dIn;
  Values *dOut;
  CUDA(cudaMalloc(&dIn, n * sizeof(int)));
  CUDA(cudaMalloc(&dOut, n * sizeof(Values)));
  CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  algorithms<Size><<<blocks, threads>>>(dIn, dOut);
  CUDA(cudaGetLastError());
  std::vector<Values> out(n);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(Values), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    const int first = t / Size * Size;
    Values e = {0, in[first], in[first], 0, 0, 0, in[first], 1000 + t % threads / Size, 0, 0};
    for (int i = first; i < first + Size; ++i) {
      e.sum += in[i];
      e.least = std::min(e.least, in[i]);
      e.most = std::max(e.most, in[i]);
      e.bits ^= in[i];
      e.exclusive += i < t ? in[i] : 0;
      e.inclusive += i <= t ? in[i] : 0;
      e.largestSoFar = i <= t ? std::max(e.largestSoFar, in[i]) : e.largestSoFar;
    }
    e.wide = (long long)e.sum << 33;
    e.real = e.sum * 0.25;
    EXPECT(memcmp(&e, &out[t], sizeof e) == 0,
           "size %d thread %d: sum %d %d least %d %d bits %d %d scans %d %d %d %d leader %d %d wide %lld %lld", Size, t,
           e.sum, out[t].sum, e.least, out[t].least, e.bits, out[t].bits, e.inclusive, out[t].inclusive, e.exclusive,
           out[t].exclusive, e.leader, out[t].leader, e.wide, out[t].wide);
  }
  printf("%d: %016llx\n", Size, (unsigned long long)checksum(out));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
}

int main() {
  check<1>();
  check<2>();
  check<4>();
  check<8>();
  check<16>();
  check<32>();
  for (int count : {1, 31, 128, 1000, 4099}) {
    const int blocks = 3, n = blocks * count;
    Random random(90);
    std::vector<int> in(n), out(n + 1);
    for (int &x : in)
      x = random.below(1000);
    int *dIn, *dOut;
    CUDA(cudaMalloc(&dIn, n * sizeof(int)));
    CUDA(cudaMalloc(&dOut, (n + 1) * sizeof(int)));
    CUDA(cudaMemset(dOut, 0, (n + 1) * sizeof(int)));
    CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    copy<<<blocks, 128, count * sizeof(int)>>>(dIn, dOut, count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; ++i)
      EXPECT(out[i] == in[i / count * count + count - 1 - i % count], "count %d, %d", count, i);
    for (int i = 0; i < count / 4 * 4; ++i)
      sum += in[i] * blocks;
    EXPECT(out[n] == sum, "count %d: sum %d, not %d", count, out[n], sum);
    printf("copy %d: %016llx\n", count, (unsigned long long)checksum(out));
    CUDA(cudaFree(dIn));
    CUDA(cudaFree(dOut));
  }
  return passed();
}
