// Cooperative groups in divergent code: coalesced_threads, labeled_partition and binary_partition group exactly the
// threads with the same branch or label. Their shuffles, ballots and ranks are consistent.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// A coalesced group is consistent, whichever threads it has: ranks are 0 to size-1, in order, and a sum over it counts
// size.
__device__ int consistent(const cg::coalesced_group &group) {
  const int rank = group.thread_rank(), size = group.size();
  int wrong = rank >= size;
  wrong |= __popc(group.ballot(1)) != size;
  wrong |= group.shfl(rank, size - 1) != size - 1;
  wrong |= group.shfl(rank, 0) != 0;
  wrong |= group.shfl_up(rank, 1) != (rank ? rank - 1 : 0);
  wrong |= group.shfl_down(rank, 1) != (rank + 1 < size ? rank + 1 : rank);
  wrong |= !group.all(rank < size) || group.any(rank >= size);
  wrong |= cg::reduce(group, 1, cg::plus<int>()) != size;
  group.sync();
  return wrong;
}

__global__ void coalesced(const int *in, int *wrong, unsigned *sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[t] == 0)
    return;
  if (in[t] % 2) {
    auto group = cg::coalesced_threads();
    wrong[t] = consistent(group);
    if (group.thread_rank() == 0)
      atomicAdd(&sums[0], group.size());
  } else {
    for (int i = 0; i < in[t]; i += 2) {
      auto group = cg::coalesced_threads();
      wrong[t] |= consistent(group);
      int total = cg::reduce(group, in[t], cg::plus<int>());
      if (group.thread_rank() == 0)
        atomicAdd(&sums[1], total);
    }
  }
}

struct Part {
  int rank, size, metaRank, metaSize, sum, biggest;
};

__global__ void partitions(const int *labels, const int *values, Part *byLabel, Part *byBit) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto label = cg::labeled_partition(warp, labels[t]);
  byLabel[t] = {(int)label.thread_rank(),
                (int)label.size(),
                0,
                (int)label.meta_group_size(),
                cg::reduce(label, values[t], cg::plus<int>()),
                cg::reduce(label, values[t], cg::greater<int>())};
  auto half = cg::binary_partition(warp, labels[t] % 2 == 1);
  byBit[t] = {(int)half.thread_rank(),
              (int)half.size(),
              0,
              (int)half.meta_group_size(),
              cg::reduce(half, values[t], cg::plus<int>()),
              cg::reduce(half, values[t], cg::greater<int>())};
}

static void checkParts(const char *name, const std::vector<int> &groups, const std::vector<int> &values,
                       const std::vector<Part> &parts) {
  for (size_t t = 0; t < parts.size(); ++t) {
    const size_t first = t / 32 * 32;
    Part e = {0, 0, 0, 0, 0, INT32_MIN};
    for (size_t i = first; i < first + 32; ++i) {
      bool again = false;
      for (size_t k = first; k < i; ++k)
        again |= groups[k] == groups[i];
      e.metaSize += !again;
      if (groups[i] != groups[t])
        continue;
      e.rank += i < t;
      ++e.size;
      e.sum += values[i];
      e.biggest = values[i] > e.biggest ? values[i] : e.biggest;
    }
    const Part &p = parts[t];
    EXPECT(p.rank == e.rank && p.size == e.size && p.sum == e.sum && p.biggest == e.biggest,
           "%s thread %zu: rank %d %d size %d %d sum %d %d biggest %d %d", name, t, e.rank, p.rank, e.size, p.size,
           e.sum, p.sum, e.biggest, p.biggest);
  }
  std::vector<int> kept;
  for (const Part &p : parts)
    kept.insert(kept.end(), {p.rank, p.size, p.sum, p.biggest});
  printf("%s %016llx\n", name, (unsigned long long)checksum(kept));
}

int main() {
  const int blocks = 9, threads = 96, n = blocks * threads;
  Random random(71);
  std::vector<int> in(n), wrong(n), values(n), bits(n);
  for (int i = 0; i < n; ++i) {
    in[i] = random.below(2 + i / threads);
    values[i] = int(random.below(2001)) - 1000;
    bits[i] = in[i] % 2 == 1;
  }
  int *dIn, *dWrong, *dValues;
  unsigned *dSums, sums[2], expected[2] = {};
  Part *dLabel, *dBit;
  CUDA(cudaMalloc(&dIn, n * sizeof(int)));
  CUDA(cudaMalloc(&dWrong, n * sizeof(int)));
  CUDA(cudaMalloc(&dValues, n * sizeof(int)));
  CUDA(cudaMalloc(&dSums, sizeof sums));
  CUDA(cudaMalloc(&dLabel, n * sizeof(Part)));
  CUDA(cudaMalloc(&dBit, n * sizeof(Part)));
  CUDA(cudaMemset(dWrong, 0, n * sizeof(int)));
  CUDA(cudaMemset(dSums, 0, sizeof sums));
  CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dValues, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  coalesced<<<blocks, threads>>>(dIn, dWrong, dSums);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(wrong.data(), dWrong, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(sums, dSums, sizeof sums, cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    EXPECT(wrong[t] == 0, "thread %d of value %d", t, in[t]);
    if (in[t] % 2)
      ++expected[0];
    else
      expected[1] += (in[t] + 1) / 2 * in[t];
  }
  EXPECT(sums[0] == expected[0] && sums[1] == expected[1], "%u %u, not %u %u", sums[0], sums[1], expected[0],
         expected[1]);
  printf("coalesced %u %u\n", sums[0], sums[1]);
  partitions<<<blocks, threads>>>(dIn, dValues, dLabel, dBit);
  CUDA(cudaGetLastError());
  std::vector<Part> byLabel(n), byBit(n);
  CUDA(cudaMemcpy(byLabel.data(), dLabel, n * sizeof(Part), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(byBit.data(), dBit, n * sizeof(Part), cudaMemcpyDeviceToHost));
  checkParts("labels", in, values, byLabel);
  checkParts("bits", bits, values, byBit);
  for (void *p : {(void *)dIn, (void *)dWrong, (void *)dValues, (void *)dSums, (void *)dLabel, (void *)dBit})
    CUDA(cudaFree(p));
  return passed();
}
