// RUN: %gasan -O2 %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0:cpu_threads=1 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A thread that ends after a report counts as returned: barriers do not wait for it, warps and tiles continue without
// it, the grid synchronises, and all other results are right. The program checks these itself, because the report goes
// to standard error.
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: WRITE of size 4 {{.*}} by device thread (37,0,0) block (0,0,0) lane 5 (and 11 more threads of this kernel)
// CHECK-NEXT: #0 work(int*, unsigned int*, Result*) {{.*}}others-go-on.cu:[[#@LINE+29]]:
// CHECK: right
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

constexpr int Threads = 96, Blocks = 4, Count = Threads * Blocks;

__host__ __device__ bool faults(int thread) {
#ifdef FIXED
  return false;
#else
  return thread == 37 || thread == 38 || thread == 95;
#endif
}

struct Result {
  int count, all, sum, ballot, shuffled, tile, total;
};

__global__ void work(int *cells, unsigned *totals, Result *results) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  __shared__ int shared[Threads];
  const int t = threadIdx.x, i = blockIdx.x * Threads + t;
  shared[t] = 0;
  __syncthreads();
  cells[faults(t) ? Count + 20 + i : i] = i;
  Result r = {};
  r.count = __syncthreads_count(1);
  r.all = __syncthreads_and(t != 37);
  shared[t] = t;
  __syncthreads();
  for (int k = 0; k < Threads; ++k)
    r.sum += shared[k];
  r.ballot = __ballot_sync(0xffffffff, 1);
  r.shuffled = __shfl_sync(0xffffffff, i, 3);
  tile.sync();
  r.tile = tile.shfl(i, 0) + __popc(tile.ballot(t % 2));
  if (t % 5 == 0)
    atomicAdd(&totals[0], unsigned(i));
  grid.sync();
  r.total = *(volatile unsigned *)&totals[0];
  __syncwarp();
  grid.sync();
  results[i] = r;
}

int main() {
  int *cells;
  unsigned *totals;
  Result *dResults;
  cudaMalloc(&cells, Count * sizeof(int));
  cudaMalloc(&totals, sizeof(unsigned));
  cudaMalloc(&dResults, Count * sizeof(Result));
  cudaMemset(totals, 0, sizeof(unsigned));
  cudaMemset(dResults, 0, Count * sizeof(Result));
  void *arguments[] = {&cells, &totals, &dResults};
  cudaLaunchCooperativeKernel((void *)work, dim3(Blocks), dim3(Threads), arguments, 0, 0);
  std::vector<Result> results(Count);
  if (cudaMemcpy(results.data(), dResults, Count * sizeof(Result), cudaMemcpyDeviceToHost) != cudaSuccess)
    return 3;
  int count = 0, sum = 0, ballots[3] = {}, wrong = 0;
  unsigned total = 0;
  for (int t = 0; t < Threads; ++t) {
    if (faults(t))
      continue;
    ++count;
    sum += t;
    ballots[t / 32] |= 1u << t % 32;
    for (int b = 0; b < Blocks; ++b)
      total += t % 5 == 0 ? b * Threads + t : 0;
  }
  for (int i = 0; i < Count; ++i) {
    const int t = i % Threads;
    const Result &r = results[i];
    if (faults(t))
      continue;
    int odd = 0;
    for (int k = t / 8 * 8; k < t / 8 * 8 + 8; ++k)
      odd += !faults(k) && k % 2;
    const bool right = r.count == count && (r.all != 0) == faults(37) && r.sum == sum && r.ballot == ballots[t / 32] &&
                       r.shuffled == i / 32 * 32 + 3 && r.tile == i / 8 * 8 + odd && r.total == int(total);
    if (!right && wrong++ < 5)
      printf("thread %d: count %d and %d sum %d ballot %x shuffled %d tile %d total %d\n", i, r.count, r.all, r.sum,
             r.ballot, r.shuffled, r.tile, r.total);
  }
  if (wrong == 0)
    printf("right\n");
  fflush(stdout);
  cudaFree(cells);
  cudaFree(totals);
  cudaFree(dResults);
  return wrong != 0;
}
