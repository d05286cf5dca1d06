/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Searches in a B+ tree: nodes of 16 keys, a thread a query, levels in one array after the other, leaves last.
#include "../program.h"

constexpr unsigned kOrder = 16;

struct Node {
  unsigned keys[kOrder];     // of the first record below each child
  unsigned children[kOrder]; // nodes; in leaves records
};

struct Tree {
  __host__ __device__ static unsigned key(size_t record) { return record * 64 + scramble(record) % 64; }
  __host__ __device__ static unsigned value(size_t record) { return scramble(~record); }
};

__global__ void search(const Node *nodes, const unsigned *values, const unsigned *queries, unsigned *answers,
                       unsigned count, int height) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned wanted = queries[i], node = 0, answer = ~0u;
  for (int level = 0; level < height; level++) {
    const Node &here = nodes[node];
    unsigned child = 0;
    while (child + 1 < kOrder && here.keys[child + 1] <= wanted)
      child++;
    if (level == height - 1 && here.keys[child] == wanted)
      answer = values[here.children[child]];
    node = here.children[child];
  }
  answers[i] = answer;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int height = program.size(3, 6);
  unsigned records = 1, node_count = 0;
  for (int level = 0; level < height; level++) {
    node_count += records;
    records *= kOrder;
  }
  Node *nodes = program.allocate<Node>(node_count);
  unsigned first = 0, span = records / kOrder; // of the level: its first node; records below a child
  for (unsigned width = 1; width < records; width *= kOrder, span /= kOrder) {
    unsigned next = first + width;
    Program::fill(nodes + first, width, [=] __host__ __device__(size_t i) {
      Node node;
      for (unsigned child = 0; child < kOrder; child++) {
        node.keys[child] = Tree::key((i * kOrder + child) * span);
        node.children[child] = (span > 1 ? next : 0) + i * kOrder + child;
      }
      return node;
    });
    first = next;
  }
  unsigned count = program.size(5000, 16 << 20);
  // Half of the queries are for keys in the tree.
  auto query = [records] __host__ __device__(size_t i) { return Tree::key(scramble(i) % records) + i % 2; };
  unsigned *values =
      program.allocate_made<unsigned>(records, [] __host__ __device__(size_t i) { return Tree::value(i); });
  unsigned *queries = program.allocate_made<unsigned>(count, query), *answers = program.allocate<unsigned>(count);
  program.time([&] { search<<<divide_up(count, 256), 256>>>(nodes, values, queries, answers, count, height); });
  return program.finish(program.verify(count, [&](size_t i) {
    unsigned record = query(i) / 64;
    return fetch(answers + i) == (record < records && Tree::key(record) == query(i) ? Tree::value(record) : ~0u);
  }));
}
