/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Breadth-first search, level by level, with a queue of the frontier.
#include "csr_graph.h"

__global__ void expand(const unsigned *first, const unsigned *targets, unsigned *distance, const unsigned *frontier,
                       unsigned frontier_size, unsigned *next, unsigned *next_size, unsigned level) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size)
    return;
  unsigned node = frontier[i];
  for (unsigned edge = first[node]; edge < first[node + 1]; edge++) {
    unsigned to = targets[edge];
    if (distance[to] == kUnreached && atomicCAS(&distance[to], kUnreached, level) == kUnreached)
      next[atomicAdd(next_size, 1)] = to;
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Graph graph(program, program.size(2000, 4 << 20), /*weighted=*/false);
  unsigned *distance = program.allocate<unsigned>(graph.nodes), *size = program.allocate<unsigned>(1);
  unsigned *frontier = program.allocate<unsigned>(graph.nodes), *next = program.allocate<unsigned>(graph.nodes);
  auto start = [&] {
    REQUIRE(cudaMemset(distance, 0xff, graph.nodes * sizeof *distance));
    REQUIRE(cudaMemset(distance, 0, sizeof *distance));
    REQUIRE(cudaMemset(frontier, 0, sizeof *frontier));
  };
  program.time(start, [&] {
    unsigned frontier_size = 1;
    for (unsigned level = 1; frontier_size > 0; level++) {
      REQUIRE(cudaMemset(size, 0, sizeof *size));
      expand<<<divide_up(frontier_size, 256), 256>>>(graph.first, graph.targets, distance, frontier, frontier_size,
                                                     next, size, level);
      frontier_size = fetch(size);
      std::swap(frontier, next);
    }
  });
  return program.finish(graph.has_distances(copy_back(distance, graph.nodes)));
}
