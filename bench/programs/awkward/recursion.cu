/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A binary tree of pointers that recursion visits: counts the keys of a range.
#include "../program.h"

struct Node {
  const Node *left, *right;
  unsigned key;
};

__device__ __noinline__ unsigned count_between(const Node *node, unsigned low, unsigned high) {
  if (!node)
    return 0;
  if (node->key < low)
    return count_between(node->right, low, high);
  if (node->key >= high)
    return count_between(node->left, low, high);
  return 1 + count_between(node->left, low, high) + count_between(node->right, low, high);
}

__global__ void count_all(const Node *root, const unsigned *lows, unsigned *counts, unsigned queries, unsigned span) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < queries)
    counts[i] = count_between(root, lows[i], lows[i] + span);
}

// A complete tree in the order of a heap: node i of depth d has the keys in the middle of its part.
__global__ void build(Node *nodes, int depth) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1, count = 1u << depth;
  if (i >= count)
    return;
  int level = 31 - __clz(i);
  unsigned width = count >> level;
  bool leaf = level == depth - 1;
  nodes[i] =
      Node{leaf ? nullptr : &nodes[2 * i], leaf ? nullptr : &nodes[2 * i + 1], (i - (1u << level)) * width + width / 2};
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int depth = program.size(10, 24);
  unsigned count = 1u << depth, queries = program.size(300, 1 << 19), span = 32;
  REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10));
  Node *nodes = program.allocate<Node>(count);
  build<<<divide_up(count, 256), 256>>>(nodes, depth);
  auto low = [count] __host__ __device__(size_t i) { return scramble(i) % count; };
  unsigned *lows = program.allocate_made<unsigned>(queries, low), *counts = program.allocate<unsigned>(queries);
  program.time([&] { count_all<<<divide_up(queries, 128), 128>>>(nodes + 1, lows, counts, queries, span); });
  // The keys are 1 to count - 1.
  return program.finish(program.verify(queries, [&](size_t i) {
    unsigned first = std::max(low(i), 1u), end = std::min(low(i) + span, count);
    return fetch(counts + i) == end - first;
  }));
}
