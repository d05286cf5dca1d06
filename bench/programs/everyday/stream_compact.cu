/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Keeps the particles with more than a given energy, in any order of the blocks.
// Stands for stores at places that a scan by shuffles and an atomic counter give, under a guard.
#include "../program.h"

struct Particle {
  float energy;
  int id;
};

struct Filter {
  float least_energy;
  int capacity; // of the output
};

__device__ bool is_kept(Particle particle, Filter filter) {
  return particle.energy > filter.least_energy;
}

// Returns the sum of the lanes up to this one.
__device__ int scan_warp(int value) {
  int lane = threadIdx.x % warpSize;
  for (int offset = 1; offset < warpSize; offset *= 2) {
    int other = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset)
      value += other;
  }
  return value;
}

// Returns the sum of the threads before this one. *sum: of all threads.
__device__ int scan_block(int value, int *sum) {
  __shared__ int warp_sums[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
  int up_to = scan_warp(value);
  if (lane == warpSize - 1)
    warp_sums[warp] = up_to;
  __syncthreads();
  if (warp == 0) {
    int own = lane < warps ? warp_sums[lane] : 0;
    warp_sums[lane] = scan_warp(own);
  }
  __syncthreads();
  *sum = warp_sums[warps - 1];
  return up_to - value + (warp > 0 ? warp_sums[warp - 1] : 0);
}

__global__ void compact(const Particle *in, Particle *out, int *out_count, int count, Filter filter) {
  __shared__ int base;
  int i = threadIdx.x + blockIdx.x * blockDim.x, kept_in_block;
  Particle particle = {0, -1};
  if (i < count)
    particle = in[i];
  int flag = i < count && is_kept(particle, filter) ? 1 : 0;
  int place = scan_block(flag, &kept_in_block);
  if (threadIdx.x == blockDim.x - 1)
    base = atomicAdd(out_count, kept_in_block);
  __syncthreads();
  place += base;
  if (flag && place < filter.capacity)
    out[place] = particle;
}

struct MakeParticle {
  __host__ __device__ Particle operator()(size_t i) const { return Particle{unit(0, i), int(i)}; }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(9001, 32000001);
  Filter filter = {0.7f, count / 2};
  Particle *in = program.allocate_made<Particle>(count, MakeParticle()),
           *out = program.allocate<Particle>(filter.capacity);
  int *out_count = program.allocate<int>(1);
  program.time([&] { REQUIRE(cudaMemset(out_count, 0, sizeof *out_count)); },
               [&] { compact<<<divide_up(count, 512), 512>>>(in, out, out_count, count, filter); });
  int kept = fetch(out_count), wanted = 0;
  for (int i = 0; i < count; i++)
    wanted += unit(0, i) > filter.least_energy;
  if (kept != wanted || kept > filter.capacity)
    return program.finish(false);
  std::vector<bool> seen(count);
  bool verified = true;
  for (const Particle &particle : copy_back(out, kept)) {
    verified &= particle.id >= 0 && particle.id < count && !seen[particle.id] &&
                particle.energy == unit(0, particle.id) && particle.energy > filter.least_energy;
    if (verified)
      seen[particle.id] = true;
  }
  return program.finish(verified);
}
