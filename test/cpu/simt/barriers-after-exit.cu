// Barriers do not wait for threads that have returned: __syncthreads and its _count/_and/_or forms combine the
// remaining threads, in blocks of any shape, for all choices and times of the returns.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

// Thread t takes part in rounds 0 to life[t]-1, then returns. Each round sums the values of the remaining threads.
__global__ void rounds(const int *life, int rounds, int *sums, int *counts, int *alls, int *anys) {
  extern __shared__ int written[];
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int block = blockIdx.x;
  const int mine = life[block * threads + t];
  for (int i = t; i < threads; i += threads)
    written[i] = 0;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (round >= mine)
      return;
    written[t] = t + round * 1000;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < threads; ++i)
      sum += written[i];
    __syncthreads();
    written[t] = 0;
    const int at = (block * rounds + round) * threads + t;
    sums[at] = sum;
    counts[at] = __syncthreads_count((t + round) % 3 == 0);
    alls[at] = __syncthreads_and(mine > round + 1) != 0;
    anys[at] = __syncthreads_or(mine > round + 1) != 0;
  }
}

static void check(dim3 shape, int blocks, uint64_t seed) {
  const int threads = shape.x * shape.y * shape.z, roundCount = 7, n = blocks * threads, cells = n * roundCount;
  Random random(seed);
  std::vector<int> life(n);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t) {
      int lives = random.below(roundCount + 1);
      if (b % 4 == 1)
        lives = t < threads / 2 ? 2 : roundCount; // half of the block returns together
      if (b % 4 == 2)
        lives = t == threads - 1 ? roundCount : 1; // one thread remains
      if (b % 4 == 3)
        lives = t / 32 % 2 ? 3 : roundCount; // whole warps return
      life[b * threads + t] = lives;
    }
  int *d[5];
  for (int i = 0; i < 5; ++i)
    CUDA(cudaMalloc(&d[i], (i ? cells : n) * sizeof(int)));
  CUDA(cudaMemcpy(d[0], life.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  std::vector<int> results[4];
  for (int i = 1; i < 5; ++i)
    CUDA(cudaMemset(d[i], 0xff, cells * sizeof(int)));
  rounds<<<blocks, shape, threads * sizeof(int)>>>(d[0], roundCount, d[1], d[2], d[3], d[4]);
  CUDA(cudaGetLastError());
  for (int i = 0; i < 4; ++i) {
    results[i].resize(cells);
    CUDA(cudaMemcpy(results[i].data(), d[i + 1], cells * sizeof(int), cudaMemcpyDeviceToHost));
  }
  for (int b = 0; b < blocks; ++b)
    for (int round = 0; round < roundCount; ++round) {
      int sum = 0, count = 0, any = 0, all = 1;
      for (int t = 0; t < threads; ++t)
        if (life[b * threads + t] > round) {
          sum += t + round * 1000;
          count += (t + round) % 3 == 0;
          any |= life[b * threads + t] > round + 1;
          all &= life[b * threads + t] > round + 1;
        }
      for (int t = 0; t < threads; ++t) {
        const int at = (b * roundCount + round) * threads + t;
        const bool lives = life[b * threads + t] > round;
        EXPECT(results[0][at] == (lives ? sum : -1), "block %d round %d thread %d: sum %d", b, round, t,
               results[0][at]);
        EXPECT(results[1][at] == (lives ? count : -1), "block %d round %d thread %d: count %d", b, round, t,
               results[1][at]);
        EXPECT(results[2][at] == (lives ? all : -1), "block %d round %d thread %d: and %d", b, round, t,
               results[2][at]);
        EXPECT(results[3][at] == (lives ? any : -1), "block %d round %d thread %d: or %d", b, round, t, results[3][at]);
      }
    }
  printf("%ux%ux%u: %016llx %016llx\n", shape.x, shape.y, shape.z, (unsigned long long)checksum(results[0]),
         (unsigned long long)checksum(results[1]));
  for (int *p : d)
    CUDA(cudaFree(p));
}

int main() {
  check(dim3(1), 4, 1);
  check(dim3(31), 8, 2);
  check(dim3(64), 8, 3);
  check(dim3(7, 5, 3), 8, 4);
  check(dim3(33, 3), 8, 5);
  check(dim3(256), 4, 6);
  return passed();
}
