/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// PageRank: every node gathers along the edges that it has in the transposed graph; three iterations.
#include "csr_graph.h"

constexpr int kIterations = 3;
constexpr float kDamping = 0.85f;

__global__ void find_shares(const float *rank, const unsigned *out_degree, float *share, unsigned nodes) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes)
    share[node] = out_degree[node] ? rank[node] / out_degree[node] : 0;
}

__global__ void gather(const unsigned *first, const unsigned *sources, const float *share, float *rank,
                       unsigned nodes) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  float sum = 0;
  for (unsigned edge = first[node]; edge < first[node + 1]; edge++)
    sum += share[sources[edge]];
  rank[node] = (1 - kDamping) + kDamping * sum;
}

__global__ void count_edges(const unsigned *sources, unsigned *out_degree, unsigned edges) {
  unsigned edge = blockIdx.x * blockDim.x + threadIdx.x;
  if (edge < edges)
    atomicAdd(&out_degree[sources[edge]], 1);
}

struct Ranks {
  const Graph &graph;
  const std::vector<unsigned> &out_degree;
  double of(int iteration, unsigned node) const {
    if (iteration == 0)
      return 1;
    double sum = 0;
    for (unsigned edge = graph.host_first[node]; edge < graph.host_first[node + 1]; edge++) {
      unsigned source = Graph::target(edge, graph.nodes);
      sum += of(iteration - 1, source) / out_degree[source];
    }
    return (1 - kDamping) + kDamping * sum;
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Graph graph(program, program.size(2000, 4 << 20), /*weighted=*/false);
  unsigned nodes = graph.nodes, blocks = divide_up(nodes, 256), *out_degree = program.allocate<unsigned>(nodes);
  float *rank = program.allocate<float>(nodes), *share = program.allocate<float>(nodes);
  auto start = [&] {
    Program::fill(rank, nodes, [] __host__ __device__(size_t) { return 1.0f; });
    REQUIRE(cudaMemset(out_degree, 0, nodes * sizeof *out_degree));
  };
  program.time(start, [&] {
    count_edges<<<divide_up(graph.edges, 256), 256>>>(graph.targets, out_degree, graph.edges);
    for (int iteration = 0; iteration < kIterations; iteration++) {
      find_shares<<<blocks, 256>>>(rank, out_degree, share, nodes);
      gather<<<blocks, 256>>>(graph.first, graph.targets, share, rank, nodes);
    }
  });
  std::vector<unsigned> degree(nodes);
  for (unsigned edge = 0; edge < graph.edges; edge++)
    degree[Graph::target(edge, nodes)]++;
  Ranks ranks = {graph, degree};
  return program.finish(
      program.verify(nodes, [&](size_t i) { return is_close(fetch(rank + i), ranks.of(kIterations, i)); }, 1000));
}
