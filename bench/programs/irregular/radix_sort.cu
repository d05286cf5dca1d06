/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Radix sort, four bits a pass: counts by blocks, sums of the counts, a stable scatter.
#include "../program.h"

constexpr int kDigits = 16, kThreads = 256, kPerThread = 8, kTile = kThreads * kPerThread, kScanThreads = 1024;

__global__ void count_digits(const unsigned *keys, unsigned *counts, unsigned count, int shift) {
  __shared__ unsigned own[kDigits];
  if (threadIdx.x < kDigits)
    own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * kTile + threadIdx.x; i < min((blockIdx.x + 1) * kTile, count); i += kThreads)
    atomicAdd(&own[keys[i] >> shift & (kDigits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// Each count becomes the sum of those before it. One block.
__global__ void sum_counts(unsigned *counts, unsigned count) {
  __shared__ unsigned sums[kScanThreads];
  unsigned t = threadIdx.x, share = (count + kScanThreads - 1) / kScanThreads, begin = t * share,
           end = min(begin + share, count);
  unsigned sum = 0;
  for (unsigned i = begin; i < end; i++)
    sum += counts[i];
  sums[t] = sum;
  __syncthreads();
  for (unsigned distance = 1; distance < kScanThreads; distance *= 2) {
    unsigned before = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  unsigned base = sums[t] - sum;
  for (unsigned i = begin; i < end; i++) {
    unsigned own = counts[i];
    counts[i] = base;
    base += own;
  }
}

// Each thread has consecutive keys; before them come the equal digits of the threads before it.
__global__ void scatter(const unsigned *keys, unsigned *sorted, const unsigned *bases, unsigned count, int shift) {
  __shared__ unsigned short ranks[kDigits][kThreads];
  unsigned t = threadIdx.x, begin = min(blockIdx.x * kTile + t * kPerThread, count),
           end = min(begin + kPerThread, count);
  for (int digit = 0; digit < kDigits; digit++)
    ranks[digit][t] = 0;
  for (unsigned i = begin; i < end; i++)
    ranks[keys[i] >> shift & (kDigits - 1)][t]++;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    unsigned short before[kDigits];
    for (int digit = 0; digit < kDigits; digit++)
      before[digit] = t >= distance ? ranks[digit][t - distance] : 0;
    __syncthreads();
    for (int digit = 0; digit < kDigits; digit++)
      ranks[digit][t] += before[digit];
    __syncthreads();
  }
  unsigned next[kDigits];
  for (int digit = 0; digit < kDigits; digit++)
    next[digit] = bases[digit * gridDim.x + blockIdx.x] + (t ? ranks[digit][t - 1] : 0);
  for (unsigned i = begin; i < end; i++)
    sorted[next[keys[i] >> shift & (kDigits - 1)]++] = keys[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(5000, 32 << 20), blocks = divide_up(count, kTile);
  auto key = [] __host__ __device__(size_t i) { return scramble(i); };
  unsigned *keys = program.allocate<unsigned>(count), *other = program.allocate<unsigned>(count);
  unsigned *counts = program.allocate<unsigned>(blocks * kDigits);
  program.time([&] { Program::fill(keys, count, key); },
               [&] {
                 unsigned *from = keys, *to = other;
                 for (int shift = 0; shift < 32; shift += 4) {
                   count_digits<<<blocks, kThreads>>>(from, counts, count, shift);
                   sum_counts<<<1, kScanThreads>>>(counts, blocks * kDigits);
                   scatter<<<blocks, kThreads>>>(from, to, counts, count, shift);
                   std::swap(from, to);
                 }
               });
  // The keys must be the same, in order. A sum of hashes shows whether one is missing.
  std::vector<unsigned> sorted = copy_back(keys, count);
  uint64_t before = 0, after = 0;
  for (unsigned i = 0; i < count; i++) {
    before += scramble(key(i));
    after += scramble(sorted[i]);
  }
  return program.finish(before == after && std::is_sorted(sorted.begin(), sorted.end()));
}
