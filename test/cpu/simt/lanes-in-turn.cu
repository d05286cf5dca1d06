// Independent thread scheduling: lanes of one warp that wait for each other in loops all make progress. Producers and
// consumers, a chain in either direction, and a token in a ring, with volatile and with atomic polling.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

// Even lanes produce for their odd neighbours, in rounds.
__global__ void neighbours(int *sums, int rounds) {
  __shared__ volatile int box[128], state[128];
  const int t = threadIdx.x, pair = t / 2;
  state[t] = 0;
  __syncthreads();
  int sum = 0;
  for (int round = 1; round <= rounds; ++round) {
    if (t % 2 == 0) {
      box[pair] = t * round;
      __threadfence_block();
      state[pair] = 2 * round - 1;
      while (state[pair] != 2 * round) {
      }
    } else {
      while (state[pair] != 2 * round - 1) {
      }
      __threadfence_block();
      sum += box[pair];
      __threadfence_block();
      state[pair] = 2 * round;
    }
  }
  sums[t] = sum;
}

// Thread i waits for thread i+1 (the last one begins), or the other way round.
__global__ void chain(int *values, bool upwards) {
  __shared__ int done[256];
  const int t = threadIdx.x, n = blockDim.x;
  done[t] = 0;
  __syncthreads();
  const int before = upwards ? t - 1 : t + 1;
  int value = t;
  if (before >= 0 && before < n) {
    while (atomicAdd(&done[before], 0) == 0) {
    }
    __threadfence_block();
    value = values[before] * 3 + t;
  }
  values[t] = value;
  __threadfence_block();
  atomicExch(&done[t], 1);
}

// The token visits the threads in a scattered order. Each thread adds to it.
__global__ void token(const int *order, unsigned *result, int laps) {
  __shared__ volatile unsigned turn;
  __shared__ unsigned carried;
  const int t = threadIdx.x;
  if (t == 0) {
    turn = 0;
    carried = 1;
  }
  __syncthreads();
  for (int lap = 0; lap < laps; ++lap) {
    while (turn != unsigned(lap * blockDim.x + order[t])) {
    }
    __threadfence_block();
    carried = carried * 5 + t;
    __threadfence_block();
    turn = turn + 1;
  }
  __syncthreads();
  if (t == 0)
    *result = carried;
}

// One block waits for another, which the device must run at the same time or before. The waiting block has the larger
// index.
__device__ unsigned blockFlag;
__global__ void blocks(unsigned *out) {
  if (blockIdx.x == 0) {
    out[0] = 17;
    __threadfence();
    if (threadIdx.x == 31)
      atomicExch(&blockFlag, 1u);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&blockFlag, 0u) == 0) {
    }
    __threadfence();
    out[blockIdx.x] = *(volatile unsigned *)out + blockIdx.x;
  }
}

int main() {
  int *d;
  unsigned *result;
  CUDA(cudaMalloc(&d, 256 * sizeof(int)));
  CUDA(cudaMalloc(&result, 256 * sizeof(unsigned)));
  std::vector<int> out(256);
  neighbours<<<1, 128>>>(d, 20);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), d, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; ++t)
    EXPECT(out[t] == (t % 2 ? (t - 1) * 210 : 0), "thread %d: %d", t, out[t]);
  printf("neighbours %016llx\n", (unsigned long long)checksum(out.data(), 128 * sizeof(int)));
  for (int upwards = 0; upwards < 2; ++upwards) {
    const int n = 100;
    chain<<<1, n>>>(d, upwards);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned value = upwards ? 0 : n - 1;
    for (int i = 0; i < n; ++i) {
      const int t = upwards ? i : n - 1 - i;
      value = i ? value * 3 + t : t;
      EXPECT(out[t] == int(value), "thread %d: %d, not %d", t, out[t], int(value));
    }
    printf("chain %016llx\n", (unsigned long long)checksum(out.data(), n * sizeof(int)));
  }
  {
    const int n = 96, laps = 3;
    Random random(51);
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i)
      order[i] = i;
    for (int i = n - 1; i > 0; --i)
      std::swap(order[i], order[random.below(i + 1)]);
    CUDA(cudaMemcpy(d, order.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    token<<<1, n>>>(d, result, laps);
    CUDA(cudaGetLastError());
    unsigned carried = 1, got = 0;
    std::vector<int> at(n);
    for (int i = 0; i < n; ++i)
      at[order[i]] = i;
    for (int i = 0; i < laps * n; ++i)
      carried = carried * 5 + at[i % n];
    CUDA(cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == carried, "%u, not %u", got, carried);
    printf("token %u\n", got);
  }
  {
    std::vector<unsigned> got(40);
    CUDA(cudaMemset(result, 0, 256 * sizeof(unsigned)));
    blocks<<<40, 32>>>(result);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(got.data(), result, 40 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < 40; ++b)
      EXPECT(got[b] == 17 + b, "block %u: %u", b, got[b]);
    printf("blocks %016llx\n", (unsigned long long)checksum(got));
  }
  CUDA(cudaFree(d));
  CUDA(cudaFree(result));
  return passed();
}
