// Each thread builds a list with malloc, reads it, and frees it.
#include "../program.h"

struct Item {
  Item *next;
  unsigned value;
};

__global__ void build_lists(unsigned *sums, unsigned threads, int length) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  if (thread >= threads)
    return;
  Item *list = nullptr;
  for (int i = 0; i < length; i++) {
    Item *item = (Item *)malloc(sizeof(Item));
    if (!item)
      break;
    *item = Item{list, scramble(thread * length + i)};
    list = item;
  }
  while (list) {
    Item *next = list->next;
    sum += list->value;
    free(list);
    list = next;
  }
  sums[thread] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned threads = program.size(200, 1 << 15);
  const int length = 8;
  REQUIRE(cudaDeviceSetLimit(cudaLimitMallocHeapSize, program.size(8 << 20, 256 << 20)));
  unsigned *sums = program.allocate<unsigned>(threads);
  program.time([&] { build_lists<<<divide_up(threads, 128), 128>>>(sums, threads, length); });
  return program.finish(program.verify(threads, [&](size_t thread) {
    unsigned sum = 0;
    for (int i = 0; i < length; i++)
      sum += scramble(unsigned(thread * length + i));
    return fetch(sums + thread) == sum;
  }));
}
