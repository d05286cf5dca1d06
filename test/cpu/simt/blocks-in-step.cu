// Blocks wait for each other without a cooperative launch, as in programs whose whole grid fits on a GPU: a barrier of
// all blocks, a chain from the last block to the first, and polling loops with warp operations or barriers.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=cpu_threads=2 %run %t 2>&1 | %same
#include "../inputs/self_check.h"

constexpr int Blocks = 12, Threads = 64, Rounds = 3;

// Each block adds the values that all blocks stored in the round before.
__global__ void rounds(volatile unsigned *arrived, volatile unsigned *values, unsigned *out) {
  unsigned sum = blockIdx.x + 1;
  for (unsigned round = 1; round <= Rounds; round++) {
    if (threadIdx.x == 0) {
      values[(round % 2) * Blocks + blockIdx.x] = sum;
      __threadfence();
      atomicAdd((unsigned *)arrived, 1);
      while (*arrived < round * Blocks)
        ;
      __threadfence();
    }
    __syncthreads();
    sum = 0;
    for (int block = 0; block < Blocks; block++)
      sum += values[(round % 2) * Blocks + block];
    __syncthreads();
  }
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

// No thread waits at a barrier: all threads poll, by a vote.
__global__ void backwards(volatile unsigned *ready, unsigned *out) {
  unsigned value = 1;
  if (blockIdx.x + 1 < gridDim.x) {
    while (!__any_sync(0xffffffff, ready[blockIdx.x + 1] != 0))
      ;
    value = ready[blockIdx.x + 1] + 1;
  }
  out[blockIdx.x * Threads + threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    ready[blockIdx.x] = value;
}

// Each round has a barrier.
__global__ void together(volatile unsigned *ready, unsigned *out) {
  unsigned last = gridDim.x - 1, value = blockIdx.x == last ? 1 : 0;
  while (!value) {
    unsigned next = ready[blockIdx.x + 1];
    __syncthreads();
    if (next)
      value = next + 1;
    value = __syncthreads_and(value) ? value : 0;
  }
  out[blockIdx.x * Threads + threadIdx.x] = value;
  if (threadIdx.x == 0)
    ready[blockIdx.x] = value;
}

void checkChain(const char *name, const unsigned *out) {
  std::vector<unsigned> host(Blocks * Threads);
  CUDA(cudaMemcpy(host.data(), out, host.size() * sizeof *out, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < host.size(); i++)
    EXPECT(host[i] == Blocks - i / Threads, "%s, block %u: %u", name, i / Threads, host[i]);
  printf("%s: %u\n", name, host[0]);
}

int main() {
  unsigned *words, *out;
  std::vector<unsigned> host(Blocks * Threads);
  CUDA(cudaMalloc(&words, 64 * sizeof *words));
  CUDA(cudaMalloc(&out, host.size() * sizeof *out));
  CUDA(cudaMemset(words, 0, 64 * sizeof *words));
  rounds<<<Blocks, Threads>>>(words, words + 1, out);
  CUDA(cudaMemcpy(host.data(), out, host.size() * sizeof *out, cudaMemcpyDeviceToHost));
  const unsigned first = Blocks * (Blocks + 1) / 2;
  for (unsigned value : host)
    EXPECT(value == first * Blocks * Blocks, "%u", value);
  printf("rounds: %u\n", host[0]);
  CUDA(cudaMemset(words, 0, 64 * sizeof *words));
  backwards<<<Blocks, Threads>>>(words, out);
  checkChain("backwards", out);
  CUDA(cudaMemset(words, 0, 64 * sizeof *words));
  together<<<Blocks, Threads>>>(words, out);
  checkChain("together", out);
  CUDA(cudaFree(words));
  CUDA(cudaFree(out));
  return passed();
}
