/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A directed random graph in compressed rows: most nodes have a few edges, one in 128 has many.
#pragma once

#include "../program.h"

constexpr unsigned kUnreached = ~0u;

struct Graph {
  unsigned nodes, edges = 0;
  std::vector<unsigned> host_first;
  unsigned *first, *targets, *weights; // node v has the edges first[v] to first[v + 1]

  Graph(Program &program, unsigned nodes, bool weighted) : nodes(nodes), host_first(nodes + 1) {
    for (unsigned node = 0; node <= nodes; edges += degree(node++))
      host_first[node] = edges;
    edges = host_first[nodes];
    first = program.allocate_copy(host_first);
    targets = make_targets(program);
    weights = weighted ? make_weights(program) : nullptr;
  }

  // nvcc has no device lambdas in constructors.
  unsigned *make_targets(Program &program) {
    const unsigned count = nodes;
    return program.allocate_made<unsigned>(edges, [count] __host__ __device__(size_t i) { return target(i, count); });
  }
  unsigned *make_weights(Program &program) {
    return program.allocate_made<unsigned>(edges, [] __host__ __device__(size_t i) { return weight(i); });
  }

  __host__ __device__ static unsigned target(size_t edge, unsigned nodes) { return scramble(edge) % nodes; }
  __host__ __device__ static unsigned weight(size_t edge) { return 1 + scramble(~edge) % 100; }
  static unsigned degree(unsigned node) {
    unsigned number = scramble(node + (1ull << 50));
    return 1 + number % 14 + (number >> 25 == 0 ? 128 : 0);
  }

  // Distances from node 0 are the shortest exactly if each is the least sum over the edges that lead to the node.
  bool has_distances(const std::vector<unsigned> &distance) const {
    std::vector<unsigned> best(nodes, kUnreached);
    best[0] = 0;
    for (unsigned node = 0; node < nodes; node++)
      for (unsigned edge = host_first[node]; edge < host_first[node + 1] && distance[node] != kUnreached; edge++) {
        unsigned &least = best[target(edge, nodes)];
        least = std::min(least, distance[node] + (weights ? weight(edge) : 1));
      }
    return best == distance;
  }
};
