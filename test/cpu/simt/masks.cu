// Warp operations with legal masks: halves, tiles, partial last warps, lanes that have ended, masks that lanes compute
// themselves.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %gasan -O0 %s -o %t.unoptimised
// RUN: %run %t.unoptimised 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
#include "../inputs/self_check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int Threads = 80; // the last warp has 16 lanes

// Each half under its own mask, in different branches.
__global__ void halves(unsigned low, unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  if (lane < 16)
    out[threadIdx.x] = __ballot_sync(low, lane % 3 == 0);
  else
    out[threadIdx.x] = __ballot_sync(~low, lane % 3 == 0);
}

// The mask lacks lanes that do not execute the operation, in a loop with another mask in each round. No error.
__global__ void shrinking(unsigned *out) {
  unsigned lane = threadIdx.x % 32, sum = 0;
  for (unsigned count = 16; count > 0; count /= 2) {
    unsigned mask = (1u << count) - 1;
    if (lane < count)
      sum += __shfl_xor_sync(mask, lane, count / 2);
  }
  out[threadIdx.x] = sum;
}

// A mask may name lanes that have ended, and lanes that the last warp lacks.
__global__ void ended(unsigned mask, unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  if (lane % 4 == 3)
    return;
  out[threadIdx.x] = __ballot_sync(mask, lane % 2);
  __syncwarp(mask);
}

// Each lane's mask names the lanes of its group.
__global__ void groups(unsigned *out) {
  unsigned lane = threadIdx.x % 32, all = __ballot_sync(0xffffffff, true);
  unsigned mask = __match_any_sync(all, lane / 5);
  unsigned smallest = __reduce_min_sync(mask, 100 - lane);
  if (lane < 10)
    smallest += __reduce_add_sync(__ballot_sync(0x3ff, true), 1u);
  out[threadIdx.x] = smallest + __popc(mask);
}

// The device chooses which lanes run together. Each lane must be in its own mask.
__global__ void active(unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  if (lane % 3 == 0) {
    unsigned mask = __activemask();
    __syncwarp(mask);
    unsigned leader = __shfl_sync(mask, lane, __ffs(mask) - 1);
    out[threadIdx.x] = (mask >> leader & 1) + (mask >> lane & 1);
  } else {
    cg::coalesced_group group = cg::coalesced_threads();
    out[threadIdx.x] = group.shfl(lane, group.thread_rank()) == lane;
  }
}

template <int Size>
__global__ void tiles(unsigned *out) {
  cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(cg::this_thread_block());
  unsigned sum = tile.thread_rank();
  for (int distance = Size / 2; distance > 0; distance /= 2)
    sum += tile.shfl_xor(sum, distance);
  if (tile.meta_group_rank() % 2)
    sum += 1000 * tile.ballot(tile.thread_rank() % 2);
  tile.sync();
  out[threadIdx.x] = sum;
}

// One lane alone.
__global__ void alone(unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  out[threadIdx.x] = __shfl_sync(1u << lane, lane, lane) + __popc(__ballot_sync(1u << lane, true));
}

unsigned lanesOf(unsigned thread) {
  return Threads - thread / 32 * 32 < 32 ? Threads - thread / 32 * 32 : 32;
}

template <typename Expected>
void check(const char *name, unsigned *values, Expected expected) {
  unsigned host[Threads], wrong = 0;
  CUDA(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < Threads; i++)
    wrong += host[i] != expected(i, i % 32, lanesOf(i));
  EXPECT(!wrong, "%s: %u threads", name, wrong);
  printf("%s: %016llx\n", name, (unsigned long long)checksum(host, sizeof host));
  CUDA(cudaMemset(values, 0, sizeof host));
}

unsigned ballot(unsigned lanes, bool (*votes)(unsigned lane)) {
  unsigned result = 0;
  for (unsigned lane = 0; lane < lanes; lane++)
    result |= votes(lane) ? 1u << lane : 0;
  return result;
}

template <int Size>
unsigned tileSum(unsigned thread, unsigned lane, unsigned) {
  unsigned odd = 0xaaaaaaaa & ((1u << Size) - 1);
  return Size * (Size - 1) / 2 + (thread / Size % 2 ? 1000 * odd : 0);
}

int main() {
  unsigned *values;
  cudaMalloc(&values, Threads * sizeof *values);
  cudaMemset(values, 0, Threads * sizeof *values);
  halves<<<1, Threads>>>(0xffff, values);
  check("halves", values, [](unsigned, unsigned lane, unsigned lanes) {
    return ballot(lanes, [](unsigned l) { return l % 3 == 0; }) & (lane < 16 ? 0xffff : 0xffff0000);
  });
  shrinking<<<1, Threads>>>(values);
  check("shrinking", values, [](unsigned, unsigned lane, unsigned) {
    unsigned sum = 0;
    for (unsigned count = 16; count > lane; count /= 2)
      sum += lane ^ (count / 2);
    return sum;
  });
  ended<<<1, Threads>>>(0xffffffff, values);
  check("ended", values, [](unsigned, unsigned lane, unsigned lanes) {
    return lane % 4 == 3 ? 0 : ballot(lanes, [](unsigned l) { return l % 4 == 1; });
  });
  groups<<<1, Threads>>>(values);
  check("groups", values, [](unsigned, unsigned lane, unsigned lanes) {
    unsigned first = lane / 5 * 5, end = first + 5 < lanes ? first + 5 : lanes;
    return 100 - (end - 1) + (lane < 10 ? 10 : 0) + (end - first);
  });
  active<<<1, Threads>>>(values);
  check("active", values, [](unsigned, unsigned lane, unsigned) { return lane % 3 == 0 ? 2u : 1u; });
  tiles<16><<<1, Threads>>>(values);
  check("tiles of 16", values, tileSum<16>);
  tiles<4><<<1, Threads>>>(values);
  check("tiles of 4", values, tileSum<4>);
  alone<<<1, Threads>>>(values);
  check("alone", values, [](unsigned, unsigned lane, unsigned) { return lane + 1; });
  cudaFree(values);
  return passed();
}
