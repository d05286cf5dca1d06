/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Connected components by union and find with path halving. Edges stay within classes, and each class has a spanning
// tree.
#include "../program.h"

constexpr unsigned kClasses = 10;

struct Edge {
  unsigned from, to;
};

__device__ unsigned find(unsigned *parent, unsigned node) {
  unsigned next = parent[node];
  while (next != node) {
    unsigned after = parent[next];
    if (after != next)
      parent[node] = after;
    node = next;
    next = after;
  }
  return node;
}

__global__ void unite(const Edge *edges, unsigned *parent, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned a = find(parent, edges[i].from), b = find(parent, edges[i].to);
  while (a != b) { // the greater root goes below the smaller one
    unsigned low = min(a, b), high = max(a, b), seen = atomicCAS(&parent[high], high, low);
    if (seen == high)
      return;
    a = find(parent, seen);
    b = find(parent, low);
  }
}

// Writes only the thread's own parent: halving could replace a root by a node on the way to it.
__global__ void flatten(unsigned *parent, unsigned nodes) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x, root = node;
  if (node >= nodes)
    return;
  while (parent[root] != root)
    root = parent[root];
  parent[node] = root;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned nodes = program.size(3000, 12 << 20), count = 2 * nodes;
  // To a smaller one of the class, and to any one of it.
  Edge *edges = program.allocate_made<Edge>(count, [nodes] __host__ __device__(size_t i) {
    unsigned node = i / 2, below = i % 2 ? nodes / kClasses : node / kClasses;
    return Edge{node, below ? scramble(i) % below * kClasses + node % kClasses : node};
  });
  unsigned *parent = program.allocate<unsigned>(nodes);
  program.time([&] { Program::fill(parent, nodes, [] __host__ __device__(size_t i) { return unsigned(i); }); },
               [&] {
                 unite<<<divide_up(count, 256), 256>>>(edges, parent, count);
                 flatten<<<divide_up(nodes, 256), 256>>>(parent, nodes);
               });
  std::vector<unsigned> root = copy_back(parent, nodes);
  bool verified = true;
  for (unsigned node = 0; node < nodes; node++)
    verified &= root[node] == node % kClasses;
  return program.finish(verified);
}
