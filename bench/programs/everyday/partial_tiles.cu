/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Running sums within runs of seven elements; each thread takes a run, each block a tile.
// The program stands for tiles of which the last is partial, and for an exchange from blocked to striped order in
// static shared memory.
#include "../program.h"

constexpr int kThreads = 128, kItems = 7, kTile = kThreads * kItems;

__device__ void load_run(const int *tile, int (&items)[kItems], int valid) {
  int offset = threadIdx.x * kItems;
  for (int i = 0; i < kItems; i++)
    if (offset + i < valid)
      items[i] = tile[offset + i];
    else
      items[i] = 0;
}

__device__ void load_whole_run(const int *tile, int (&items)[kItems]) {
  for (int i = 0; i < kItems; i++)
    items[i] = tile[threadIdx.x * kItems + i];
}

// Before: consecutive items. After: items that lie kThreads apart.
__device__ void make_striped(int (&items)[kItems]) {
  __shared__ int exchange[kTile];
  for (int i = 0; i < kItems; i++)
    exchange[threadIdx.x * kItems + i] = items[i];
  __syncthreads();
  for (int i = 0; i < kItems; i++)
    items[i] = exchange[i * kThreads + threadIdx.x];
}

__global__ void sum_runs(const int *in, int *out, int n) {
  int first = blockIdx.x * kTile;
  int valid = min(n - first, kTile);
  int items[kItems];
  if (valid == kTile)
    load_whole_run(in + first, items);
  else
    load_run(in + first, items, valid);
  for (int i = 1; i < kItems; i++)
    items[i] += items[i - 1];
  make_striped(items);
  int *to = out + first;
  for (int i = 0; i < kItems; i++) {
    int at = i * kThreads + threadIdx.x;
    if (at < valid)
      to[at] = items[i];
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int n = program.size(12345, 80000000);
  auto make = [] __host__ __device__(size_t i) { return int(scramble(i) % 1000); };
  int *in = program.allocate_made<int>(n, make), *out = program.allocate<int>(n);
  program.time([&] { sum_runs<<<divide_up(n, kTile), kThreads>>>(in, out, n); });
  return program.finish(program.verify(n, [&](size_t i) {
    int wanted = 0;
    for (size_t j = i / kItems * kItems; j <= i; j++)
      wanted += make(j);
    return fetch(out + i) == wanted;
  }));
}
