/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Encodes runs of equal bytes: where each run starts, its byte and its length.
// Stands for scatters to places that the data decide, by warp ballots and block scans.
#include "../program.h"

constexpr int kThreads = 1024, kWarps = kThreads / 32;

__device__ bool starts_run(const unsigned char *in, int i, int count) {
  if (i >= count)
    return false;
  return i == 0 || in[i] != in[i - 1];
}

// Returns how many threads of the block before this one have the flag.
__device__ int rank_in_block(bool flag) {
  __shared__ int sums[kWarps];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned ballot = __ballot_sync(0xffffffff, flag);
  if (lane == 0)
    sums[warp] = __popc(ballot);
  __syncthreads();
  int before = __popc(ballot & ((1u << lane) - 1));
  for (int i = 0; i < warp; i++)
    before += sums[i];
  return before;
}

__global__ void count_runs(const unsigned char *in, int *counts, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, total = __syncthreads_count(starts_run(in, i, count));
  if (threadIdx.x == 0)
    counts[blockIdx.x] = total;
}

// Each count becomes the sum of those before it. One block.
__global__ void sum_counts(int *counts, int blocks, int *runs) {
  __shared__ int sums[kThreads];
  int tid = threadIdx.x, share = (blocks + kThreads - 1) / kThreads, begin = tid * share, sum = 0;
  for (int i = begin; i < begin + share && i < blocks; i++)
    sum += counts[i];
  sums[tid] = sum;
  __syncthreads();
  for (int offset = 1; offset < kThreads; offset <<= 1) {
    int other = tid - offset >= 0 ? sums[tid - offset] : 0;
    __syncthreads();
    sums[tid] += other;
    __syncthreads();
  }
  if (tid == kThreads - 1)
    *runs = sums[tid];
  int base = tid > 0 ? sums[tid - 1] : 0;
  for (int i = begin; i < begin + share && i < blocks; i++) {
    int own = counts[i];
    counts[i] = base;
    base += own;
  }
}

__global__ void write_runs(const unsigned char *in, const int *bases, int *starts, unsigned char *bytes, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool flag = starts_run(in, i, count);
  int at = bases[blockIdx.x] + rank_in_block(flag);
  if (!flag)
    return;
  starts[at] = i;
  bytes[at] = in[i];
}

__global__ void measure_runs(const int *starts, int *lengths, const int *runs, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *runs; i += gridDim.x * blockDim.x)
    lengths[i] = (i + 1 < *runs ? starts[i + 1] : count) - starts[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(10000, 128 << 20), blocks = divide_up(count, kThreads);
  auto make = [] __host__ __device__(size_t i) {
    return (unsigned char)((scramble(i / 5) & 1) + 2 * (scramble(i / 7) & 1));
  };
  unsigned char *in = program.allocate_made<unsigned char>(count, make),
                *bytes = program.allocate<unsigned char>(count);
  int *counts = program.allocate<int>(blocks), *runs = program.allocate<int>(1);
  int *starts = program.allocate<int>(count), *lengths = program.allocate<int>(count);
  program.time([&] {
    count_runs<<<blocks, kThreads>>>(in, counts, count);
    sum_counts<<<1, kThreads>>>(counts, blocks, runs);
    write_runs<<<blocks, kThreads>>>(in, counts, starts, bytes, count);
    measure_runs<<<std::min(blocks, 2048), kThreads>>>(starts, lengths, runs, count);
  });
  int found = fetch(runs), at = 0, run = 0;
  std::vector<unsigned char> run_bytes = copy_back(bytes, found);
  std::vector<int> run_starts = copy_back(starts, found), run_lengths = copy_back(lengths, found);
  for (; run < found && run_bytes[run] == make(at) && run_starts[run] == at; run++) {
    int next = at + 1;
    while (next < count && make(next) == make(at))
      next++;
    at = run_lengths[run] == next - at ? next : -1;
  }
  return program.finish(at == count && run == found);
}
