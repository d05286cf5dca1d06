/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The common neighbours of the two ends of each edge, as for counting triangles: half of the edges by merging the two
// sorted lists, the others by searching each neighbour of one end in the list of the other one.
#include "../program.h"

constexpr int kMost = 48; // neighbours

struct Lists {
  __host__ __device__ static int length(size_t node) { return 4 + scramble(node + (1ull << 40)) % (kMost - 3); }
  // The neighbours are in ascending order.
  __host__ __device__ static int neighbour(size_t node, int place, int nodes) {
    const unsigned gap = nodes / kMost;
    return place * gap + scramble(node * kMost + place) % gap;
  }
};

__device__ int merge(const int *first, const int *neighbours, int left, int right) {
  int i = first[left], i_end = first[left + 1], j = first[right], j_end = first[right + 1], common = 0;
  while (i < i_end && j < j_end) {
    int a = neighbours[i], b = neighbours[j];
    if (a == b) {
      common++;
      i++;
      j++;
    } else if (a < b) {
      i++;
    } else {
      j++;
    }
  }
  return common;
}

__device__ int search(const int *first, const int *neighbours, int left, int right) {
  int common = 0;
  for (int i = first[left]; i < first[left + 1]; i++) {
    int wanted = neighbours[i], low = first[right], high = first[right + 1] - 1;
    while (low <= high) {
      int middle = (low + high) / 2, found = neighbours[middle];
      if (found == wanted) {
        common++;
        break;
      }
      if (found < wanted)
        low = middle + 1;
      else
        high = middle - 1;
    }
  }
  return common;
}

__global__ void merge_lists(const int *first, const int *neighbours, int *common, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int sum = 0;
  for (int edge = first[node]; edge < first[node + 1]; edge += 2)
    sum += merge(first, neighbours, node, neighbours[edge]);
  common[node] = sum;
}

__global__ void search_lists(const int *first, const int *neighbours, int *common, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int sum = common[node];
  for (int edge = first[node] + 1; edge < first[node + 1]; edge += 2)
    sum += search(first, neighbours, node, neighbours[edge]);
  common[node] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int nodes = program.size(1000, 1 << 20);
  std::vector<int> begins(nodes + 1);
  for (int node = 0; node < nodes; node++)
    begins[node + 1] = begins[node] + Lists::length(node);
  std::vector<int> lists(begins[nodes]);
  for (int node = 0; node < nodes; node++)
    for (int place = 0; place < Lists::length(node); place++)
      lists[begins[node] + place] = Lists::neighbour(node, place, nodes);
  const int *first = program.allocate_copy(begins), *neighbours = program.allocate_copy(lists);
  int *common = program.allocate<int>(nodes);
  program.time([&] {
    merge_lists<<<divide_up(nodes, 256), 256>>>(first, neighbours, common, nodes);
    search_lists<<<divide_up(nodes, 256), 256>>>(first, neighbours, common, nodes);
  });
  return program.finish(program.verify(nodes, [&](size_t node) {
    int expected = 0;
    for (int edge = begins[node]; edge < begins[node + 1]; edge++) {
      const int other = lists[edge];
      std::vector<int> both;
      std::set_intersection(lists.begin() + begins[node], lists.begin() + begins[node + 1],
                            lists.begin() + begins[other], lists.begin() + begins[other + 1], std::back_inserter(both));
      expected += both.size();
    }
    return fetch(common + node) == expected;
  }));
}
