/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Shortest paths by Bellman and Ford: every node updates its neighbours' distances until none changes.
#include "csr_graph.h"

__global__ void relax(const unsigned *first, const unsigned *targets, const unsigned *weights, unsigned *distance,
                      int *changed, unsigned nodes) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || distance[node] == kUnreached)
    return;
  unsigned own = distance[node];
  bool lowered = false;
  for (unsigned edge = first[node]; edge < first[node + 1]; edge++) {
    unsigned to = targets[edge], by_us = own + weights[edge];
    if (by_us < distance[to] && by_us < atomicMin(&distance[to], by_us))
      lowered = true;
  }
  if (lowered)
    *changed = 1;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Graph graph(program, program.size(1000, 2 << 20), /*weighted=*/true);
  unsigned *distance = program.allocate<unsigned>(graph.nodes);
  int *changed = program.allocate<int>(1);
  auto start = [&] {
    REQUIRE(cudaMemset(distance, 0xff, graph.nodes * sizeof *distance));
    REQUIRE(cudaMemset(distance, 0, sizeof *distance));
  };
  program.time(start, [&] {
    do {
      REQUIRE(cudaMemset(changed, 0, sizeof *changed));
      relax<<<divide_up(graph.nodes, 256), 256>>>(graph.first, graph.targets, graph.weights, distance, changed,
                                                  graph.nodes);
    } while (fetch(changed));
  });
  return program.finish(graph.has_distances(copy_back(distance, graph.nodes)));
}
