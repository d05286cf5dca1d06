/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The knapsack problem: the greatest value for each capacity, one launch an item.
// Stands for dynamic programming by rows, whose guard `w >= weight` protects the index w - weight.
#include "../program.h"

struct Items {
  const int *weights, *values;
  int count;
};

__global__ void clear_row(int *row, int capacity) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w <= capacity)
    row[w] = 0;
}

__global__ void add_item(const int *before, int *after, unsigned char *taken, Items items, int item, int capacity) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w > capacity || item >= items.count)
    return;
  int weight = items.weights[item], best = before[w];
  bool take = false;
  if (w >= weight) {
    int with = before[w - weight] + items.values[item];
    if (with > best) {
      best = with;
      take = true;
    }
  }
  after[w] = best;
  if (take)
    taken[w] = (unsigned char)item;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int capacity = program.size(2500, 40000000), count = program.size(10, 24);
  std::vector<int> weights, values;
  for (int i = 0; i < count; i++) {
    weights.push_back(capacity / 30 + scramble(i) % (capacity / 5));
    values.push_back(1 + scramble(~i) % 1000);
  }
  Items items = {program.allocate_copy(weights), program.allocate_copy(values), count};
  int *before = program.allocate<int>(capacity + 1), *after = program.allocate<int>(capacity + 1);
  unsigned char *taken = program.allocate<unsigned char>(capacity + 1);
  int blocks = capacity / 256 + 1;
  program.time([&] { REQUIRE(cudaMemset(taken, 0xff, capacity + 1)); },
               [&] {
                 clear_row<<<blocks, 256>>>(before, capacity);
                 for (int item = 0; item < count; item++) {
                   add_item<<<blocks, 256>>>(before, after, taken, items, item, capacity);
                   std::swap(before, after);
                 }
               });
  std::vector<int> best(capacity + 1);
  std::vector<unsigned char> last(capacity + 1, 0xff);
  for (int item = 0; item < count; item++)
    for (int w = capacity; w >= weights[item]; w--)
      if (int with = best[w - weights[item]] + values[item]; with > best[w]) {
        best[w] = with;
        last[w] = item;
      }
  return program.finish(copy_back(before, capacity + 1) == best && copy_back(taken, capacity + 1) == last);
}
