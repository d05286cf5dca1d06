/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Bitonic sort: near steps in shared memory, far ones in global memory.
#include "../program.h"

constexpr unsigned kTile = 1024;

__device__ void order(unsigned &low, unsigned &high, bool ascending) {
  unsigned a = low, b = high;
  if (a > b == ascending) {
    low = b;
    high = a;
  }
}

// The steps of `stage` that stay within tiles; with `all` those of the stages before it, too.
__global__ void near_steps(unsigned *keys, unsigned stage, bool all) {
  __shared__ unsigned tile[kTile];
  unsigned start = blockIdx.x * kTile, t = threadIdx.x;
  tile[t] = keys[start + t];
  tile[t + kTile / 2] = keys[start + t + kTile / 2];
  for (unsigned size = all ? 2 : stage; size <= stage; size *= 2)
    for (unsigned distance = min(size, kTile) / 2; distance > 0; distance /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (distance - 1));
      order(tile[i], tile[i + distance], ((start + i) & size) == 0);
    }
  __syncthreads();
  keys[start + t] = tile[t];
  keys[start + t + kTile / 2] = tile[t + kTile / 2];
}

__global__ void far_step(unsigned *keys, unsigned stage, unsigned distance) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (distance - 1));
  order(keys[i], keys[i + distance], (i & stage) == 0);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(1 << 13, 1 << 25);
  auto key = [] __host__ __device__(size_t i) { return scramble(i); };
  unsigned *keys = program.allocate<unsigned>(count);
  program.time([&] { Program::fill(keys, count, key); },
               [&] {
                 near_steps<<<count / kTile, kTile / 2>>>(keys, kTile, true);
                 for (unsigned stage = 2 * kTile; stage <= count; stage *= 2) {
                   for (unsigned distance = stage / 2; distance >= kTile; distance /= 2)
                     far_step<<<count / 512, 256>>>(keys, stage, distance);
                   near_steps<<<count / kTile, kTile / 2>>>(keys, stage, false);
                 }
               });
  std::vector<unsigned> sorted = copy_back(keys, count);
  uint64_t before = 0, after = 0;
  for (unsigned i = 0; i < count; i++) {
    before += scramble(key(i));
    after += scramble(sorted[i]);
  }
  return program.finish(before == after && std::is_sorted(sorted.begin(), sorted.end()));
}
