/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Counts the characters of a text with a byte counter per thread and character.
// Stands for byte accesses to shared memory at indices that come from signed characters.
#include "../program.h"

// A byte counts up to 255.
constexpr int kThreads = 128, kBins = 256, kPerThread = 252;

__device__ void clear_words(unsigned *words, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = 0;
}

__device__ void add_character(unsigned char *counters, signed char c) {
  int bin = (int)c + 128;
  counters[bin * kThreads + threadIdx.x]++;
}

// Each thread begins at another counter, against bank conflicts.
__device__ int sum_bin(const unsigned char *counters, int bin) {
  int sum = 0;
  for (int i = 0; i < kThreads; i++)
    sum += counters[bin * kThreads + (i + 4 * (int)threadIdx.x) % kThreads];
  return sum;
}

__global__ void count_characters(const signed char *text, int *bins, int length) {
  __shared__ __align__(4) unsigned char counters[kBins * kThreads];
  clear_words((unsigned *)counters, kBins * kThreads / 4);
  __syncthreads();
  int start = blockIdx.x * kThreads * kPerThread;
  for (int i = 0; i < kPerThread; i++) {
    int at = start + i * kThreads + threadIdx.x;
    if (at >= length)
      break;
    add_character(counters, text[at]);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    int sum = sum_bin(counters, bin);
    if (sum > 0)
      atomicAdd(&bins[bin], sum);
  }
}

// Some characters are more frequent than others.
struct MakeCharacter {
  __host__ __device__ signed char operator()(size_t i) const {
    unsigned random = scramble(i);
    return (signed char)(random % 3 ? random >> 8 & 0x1f : random >> 16);
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int length = program.size(70001, 256 << 20);
  signed char *text = program.allocate_made<signed char>(length, MakeCharacter());
  int *bins = program.allocate<int>(kBins);
  program.time([&] { REQUIRE(cudaMemset(bins, 0, kBins * sizeof *bins)); },
               [&] { count_characters<<<divide_up(length, kThreads * kPerThread), kThreads>>>(text, bins, length); });
  std::vector<int> wanted(kBins);
  for (int i = 0; i < length; i++)
    wanted[MakeCharacter()(i) + 128]++;
  return program.finish(copy_back(bins, kBins) == wanted);
}
