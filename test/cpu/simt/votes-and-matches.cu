// __all_sync, __any_sync, __ballot_sync, __match_any_sync and __match_all_sync over full, partial and divergent masks,
// with random predicates and values of every type.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Result {
  unsigned ballot, all, any, match32, match64, matchFloat, allEqual, allEqualPredicate, allDiffer, allDifferPredicate;
};

// groupOf puts the lanes of a warp into groups. Each group votes among itself, in its own branch.
__global__ void vote(const unsigned char *groupOf, const int *values, const long long *wide, Result *results) {
  const int t = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x % 32, base = t - lane;
  unsigned mask = 0;
  for (int i = 0; i < 32 && base + i < (blockIdx.x + 1) * blockDim.x; ++i)
    if (groupOf[base + i] == groupOf[t])
      mask |= 1u << i;
  Result r = {};
  int predicate;
  switch (groupOf[t]) {
  case 0:
    r.ballot = __ballot_sync(mask, values[t] & 1);
    r.match32 = __match_any_sync(mask, values[t]);
    break;
  case 1:
    r.match32 = __match_any_sync(mask, values[t]);
    r.ballot = __ballot_sync(mask, values[t] & 1);
    break;
  default:
    r.ballot = __ballot_sync(mask, values[t] & 1);
    r.match32 = __match_any_sync(mask, (unsigned)values[t]);
    break;
  }
  r.all = __all_sync(mask, values[t] < 3) != 0;
  r.any = __any_sync(mask, values[t] == 3) != 0;
  r.match64 = __match_any_sync(mask, wide[t]);
  r.matchFloat = __match_any_sync(mask, values[t] * 0.5f);
  r.allEqual = __match_all_sync(mask, groupOf[t] * 3, &predicate);
  r.allEqualPredicate = predicate != 0;
  r.allDiffer = __match_all_sync(mask, wide[t], &predicate);
  r.allDifferPredicate = predicate != 0;
  results[t] = r;
}

int main() {
  const int threads = 32 * 3 + 19, blocks = 16, n = threads * blocks;
  Random random(31);
  std::vector<unsigned char> group(n);
  std::vector<int> values(n);
  std::vector<long long> wide(n);
  for (int i = 0; i < n; ++i) {
    const int block = i / threads;
    group[i] = block < 2 ? 0 : block < 4 ? i % 2 : random.below(1 + block);
    values[i] = random.below(block % 5 + 1);
    wide[i] = (long long)random.below(2) << 40 | random.below(block % 3 + 1);
  }
  unsigned char *dGroup;
  int *dValues;
  long long *dWide;
  Result *dResults;
  CUDA(cudaMalloc(&dGroup, n));
  CUDA(cudaMalloc(&dValues, n * sizeof(int)));
  CUDA(cudaMalloc(&dWide, n * sizeof(long long)));
  CUDA(cudaMalloc(&dResults, n * sizeof(Result)));
  CUDA(cudaMemcpy(dGroup, group.data(), n, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dValues, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dWide, wide.data(), n * sizeof(long long), cudaMemcpyHostToDevice));
  vote<<<blocks, threads>>>(dGroup, dValues, dWide, dResults);
  CUDA(cudaGetLastError());
  std::vector<Result> results(n);
  CUDA(cudaMemcpy(results.data(), dResults, n * sizeof(Result), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    const int block = t / threads, inBlock = t % threads, first = t - inBlock % 32;
    Result e = {};
    e.all = 1;
    bool same = true;
    unsigned mask = 0;
    for (int i = 0; i < 32 && inBlock / 32 * 32 + i < threads; ++i) {
      const int other = first + i;
      if (group[other] != group[t])
        continue;
      mask |= 1u << i;
      e.ballot |= (values[other] & 1u) << i;
      e.all &= values[other] < 3;
      e.any |= values[other] == 3;
      e.match32 |= unsigned(values[other] == values[t]) << i;
      e.match64 |= unsigned(wide[other] == wide[t]) << i;
      same = same && wide[other] == wide[t];
    }
    e.matchFloat = e.match32;
    e.allEqual = mask;
    e.allEqualPredicate = 1;
    e.allDiffer = same ? mask : 0;
    e.allDifferPredicate = same;
    EXPECT(memcmp(&e, &results[t], sizeof e) == 0,
           "block %d thread %d: ballot %08x %08x match %08x %08x wide %08x %08x all %u %u any %u %u", block, inBlock,
           e.ballot, results[t].ballot, e.match32, results[t].match32, e.match64, results[t].match64, e.all,
           results[t].all, e.any, results[t].any);
  }
  printf("votes %016llx\n", (unsigned long long)checksum(results));
  CUDA(cudaFree(dGroup));
  CUDA(cudaFree(dValues));
  CUDA(cudaFree(dWide));
  CUDA(cudaFree(dResults));
  return passed();
}
