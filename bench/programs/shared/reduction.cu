/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A sum: shuffles in warps, shared memory in blocks, one atomic addition a block. Unsigned sums wrap, and so do not
// depend on the order.
#include "../program.h"

__global__ void reduce(const unsigned *in, unsigned *sum, unsigned count) {
  __shared__ unsigned warp_sums[32];
  unsigned own = 0, lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    own += in[i];
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    own += __shfl_down_sync(0xffffffff, own, distance);
  if (lane == 0)
    warp_sums[warp] = own;
  __syncthreads();
  if (warp == 0) {
    own = lane < blockDim.x / warpSize ? warp_sums[lane] : 0;
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
      own += __shfl_down_sync(0xffffffff, own, distance);
    if (lane == 0)
      atomicAdd(sum, own);
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(10000, 128 << 20), *sum = program.allocate<unsigned>(1);
  unsigned *in = program.allocate_made<unsigned>(count, [] __host__ __device__(size_t i) { return scramble(i); });
  program.time([&] { REQUIRE(cudaMemset(sum, 0, sizeof *sum)); },
               [&] { reduce<<<std::min(divide_up(count, 256), 8192u), 256>>>(in, sum, count); });
  unsigned wanted = 0;
  for (unsigned i = 0; i < count; i++)
    wanted += scramble(i);
  return program.finish(fetch(sum) == wanted);
}
