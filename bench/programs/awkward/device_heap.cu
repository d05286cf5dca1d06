/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Each thread builds lists of items of random sizes with malloc, reads them, and frees them.
// Several times in a launch, because a heap's time depends on the requests before.
#include "../program.h"

struct Item {
  Item *next;
  unsigned value;
};

__host__ __device__ unsigned value_of(unsigned thread, int round, int i) {
  return scramble((thread * 64ull + round) * 64 + i);
}

__global__ void build_lists(unsigned *sums, unsigned threads, int rounds, int length) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  if (thread >= threads)
    return;
  for (int round = 0; round < rounds; round++) {
    Item *list = nullptr;
    for (int i = 0; i < length; i++) {
      unsigned value = value_of(thread, round, i);
      Item *item = (Item *)malloc(sizeof(Item) + value % 240);
      if (!item)
        break;
      *item = Item{list, value};
      list = item;
    }
    while (list) {
      Item *next = list->next;
      sum += list->value;
      free(list);
      list = next;
    }
  }
  sums[thread] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned threads = program.size(200, 1 << 13);
  const int rounds = 8, length = 8;
  REQUIRE(cudaDeviceSetLimit(cudaLimitMallocHeapSize, program.size(8 << 20, 256 << 20)));
  unsigned *sums = program.allocate<unsigned>(threads);
  program.time([&] { build_lists<<<divide_up(threads, 128), 128>>>(sums, threads, rounds, length); });
  return program.finish(program.verify(threads, [&](size_t thread) {
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++)
      for (int i = 0; i < length; i++)
        sum += value_of(unsigned(thread), round, i);
    return fetch(sums + thread) == sum;
  }));
}
