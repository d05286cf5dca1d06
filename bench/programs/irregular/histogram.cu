/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// How often each byte occurs: counters in shared memory, then sums.
#include "../program.h"

constexpr int kBins = 256;

__global__ void count_bytes(const unsigned *words, unsigned *bins, unsigned count) {
  __shared__ unsigned own[kBins];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    for (int byte = 0; byte < 4; byte++)
      atomicAdd(&own[words[i] >> 8 * byte & 0xff], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(10000, 64 << 20);
  // The upper byte is skewed.
  auto word = [] __host__ __device__(size_t i) { return scramble(i) & (scramble(~i) | 0xffffff); };
  unsigned *words = program.allocate_made<unsigned>(count, word), *bins = program.allocate<unsigned>(kBins);
  program.time([&] { REQUIRE(cudaMemset(bins, 0, kBins * sizeof *bins)); },
               [&] { count_bytes<<<std::min(divide_up(count, kBins), 4096u), kBins>>>(words, bins, count); });
  std::vector<unsigned> wanted(kBins);
  for (unsigned i = 0; i < count; i++)
    for (int byte = 0; byte < 4; byte++)
      wanted[word(i) >> 8 * byte & 0xff]++;
  return program.finish(copy_back(bins, kBins) == wanted);
}
