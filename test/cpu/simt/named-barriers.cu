// PTX barrier.sync, barrier.arrive and barrier.red with an id and a count: only the barrier's own threads meet there,
// threads that arrive do not wait, and different barriers are independent.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ void sync(int id, int count) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ void arrive(int id, int count) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ int population(int id, int count, int predicate) {
  int result;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\tbarrier.red.popc.u32 %0, %1, %2, p;\n\t}"
               : "=r"(result)
               : "r"(id), "r"(count), "r"(predicate)
               : "memory");
  return result;
}

// Warps 0 to half produce into one of two buffers, the others consume. Each buffer has a full and an empty barrier.
__global__ void pipeline(const int *in, int *out, int steps) {
  __shared__ int buffer[2][128];
  const int half = blockDim.x / 2, t = threadIdx.x % half;
  enum { Full = 1, Empty = 3 };
  if (threadIdx.x < half) {
    for (int step = 0; step < steps; ++step) {
      sync(Empty + step % 2, blockDim.x);
      buffer[step % 2][t] = in[(blockIdx.x * steps + step) * half + t] * 3;
      arrive(Full + step % 2, blockDim.x);
    }
  } else {
    arrive(Empty, blockDim.x);
    arrive(Empty + 1, blockDim.x);
    for (int step = 0; step < steps; ++step) {
      sync(Full + step % 2, blockDim.x);
      out[(blockIdx.x * steps + step) * half + t] = buffer[step % 2][half - 1 - t];
      if (step + 2 < steps)
        arrive(Empty + step % 2, blockDim.x);
    }
  }
}

// Each pair of warps has its own barrier. The pairs do different numbers of rounds.
__global__ void pairs(int *out) {
  __shared__ int last[32];
  const int pair = threadIdx.x / 64, warp = threadIdx.x / 32, rounds = 5 + 3 * pair;
  int seen = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x % 32 == round)
      last[warp] = warp * 100 + round;
    sync(pair + 1, 64);
    seen = seen * 7 + last[warp ^ 1];
    sync(pair + 1, 64);
  }
  out[threadIdx.x] = seen;
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockDim.x] = rounds;
}

// Each part of the block has its own barrier.red. At the end the whole block calls __syncthreads_count.
__global__ void counts(int *out) {
  const int group = threadIdx.x / 96;
  int n = 0;
  for (int round = 1; round < 6; ++round)
    n = n * 100 + population(4 + group, 96, threadIdx.x % round == 0);
  out[threadIdx.x] = n;
  out[blockDim.x + threadIdx.x] = __syncthreads_count(group == 1);
}

int main() {
  {
    const int blocks = 6, threads = 192, half = threads / 2, steps = 9, n = blocks * steps * half;
    Random random(11);
    std::vector<int> in(n), out(n);
    for (int &x : in)
      x = random.below(1 << 20);
    int *dIn, *dOut;
    CUDA(cudaMalloc(&dIn, n * sizeof(int)));
    CUDA(cudaMalloc(&dOut, n * sizeof(int)));
    CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    pipeline<<<blocks, threads>>>(dIn, dOut, steps);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      EXPECT(out[i] == in[i / half * half + half - 1 - i % half] * 3, "%d: %d", i, out[i]);
    printf("pipeline %016llx\n", (unsigned long long)checksum(out));
    CUDA(cudaFree(dIn));
    CUDA(cudaFree(dOut));
  }
  {
    const int threads = 512;
    std::vector<int> out(threads + 1);
    int *d;
    CUDA(cudaMalloc(&d, out.size() * sizeof(int)));
    pairs<<<1, threads>>>(d);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t) {
      int seen = 0;
      for (int round = 0; round < 5 + 3 * (t / 64); ++round)
        seen = int(unsigned(seen) * 7u + unsigned((t / 32 ^ 1) * 100 + round));
      EXPECT(out[t] == seen, "thread %d: %d, not %d", t, out[t], seen);
    }
    printf("pairs %016llx\n", (unsigned long long)checksum(out));
    CUDA(cudaFree(d));
  }
  {
    const int threads = 288;
    std::vector<int> out(2 * threads);
    int *d;
    CUDA(cudaMalloc(&d, out.size() * sizeof(int)));
    counts<<<1, threads>>>(d);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t) {
      unsigned n = 0;
      for (int round = 1; round < 6; ++round) {
        unsigned count = 0;
        for (int i = t / 96 * 96; i < t / 96 * 96 + 96; ++i)
          count += i % round == 0;
        n = n * 100 + count;
      }
      EXPECT(out[t] == int(n), "thread %d: %d, not %u", t, out[t], n);
      EXPECT(out[threads + t] == 96, "thread %d: %d", t, out[threads + t]);
    }
    printf("counts %016llx\n", (unsigned long long)checksum(out));
    CUDA(cudaFree(d));
  }
  return passed();
}
