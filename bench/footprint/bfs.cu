/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Breadth-first search of n nodes as Rodinia's bfs: nodes with ranges of edges, masks of the frontier, two launches a
// level.
#include "footprint.h"

constexpr int kDegree = 6, kThreads = 512;

struct Node {
  int first, count;
};

// Every second edge leads to a near node, the others anywhere.
struct MakeEdge {
  int nodes;
  __host__ __device__ int operator()(size_t i) const {
    unsigned node = i / kDegree, other = scramble(i);
    return (i % 2 ? node + other % 64 : other) % nodes;
  }
};

__global__ void expand(const Node *nodes, const int *edges, bool *mask, bool *next, const bool *visited, int *cost,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !mask[i])
    return;
  mask[i] = false;
  for (int edge = nodes[i].first; edge < nodes[i].first + nodes[i].count; edge++)
    if (int to = edges[edge]; !visited[to]) {
      cost[to] = cost[i] + 1;
      next[to] = true;
    }
}

__global__ void advance(bool *mask, bool *next, bool *visited, bool *goes_on, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && next[i]) {
    mask[i] = visited[i] = true;
    next[i] = false;
    *goes_on = true;
  }
}

// The costs are the distances if no edge skips a level and an edge from the level before leads to each node.
static bool check(const std::vector<int> &cost, MakeEdge edge) {
  std::vector<bool> justified(cost.size());
  justified[0] = cost[0] == 0;
  for (size_t node = 0; node < cost.size(); node++)
    for (int k = 0; k < kDegree && cost[node] >= 0; k++) {
      int to = edge(node * kDegree + k);
      if (cost[to] < 0 || cost[to] > cost[node] + 1)
        return false;
      if (cost[to] == cost[node] + 1)
        justified[to] = true;
    }
  for (size_t node = 0; node < cost.size(); node++)
    if (cost[node] >= 0 && !justified[node])
      return false;
  return true;
}

int main(int argc, char **argv) {
  Footprint run("bfs", argc, argv, 3000, 1 << 20, 12 << 20);
  int n = run.n;
  MakeEdge edge = {n};
  Node *nodes =
      run.allocate_made<Node>(n, [] __host__ __device__(size_t i) { return Node{int(i) * kDegree, kDegree}; });
  int *edges = run.allocate_made<int>(size_t(n) * kDegree, edge);
  auto at_source = [] __host__ __device__(size_t i) { return i == 0; };
  bool *mask = run.allocate_made<bool>(n, at_source);
  bool *next = run.allocate_made<bool>(n, [] __host__ __device__(size_t) { return false; });
  bool *visited = run.allocate_made<bool>(n, at_source);
  int *cost = run.allocate_made<int>(n, [] __host__ __device__(size_t i) { return i == 0 ? 0 : -1; });
  bool *goes_on = run.allocate<bool>(1);
  do {
    REQUIRE(cudaMemset(goes_on, 0, 1));
    expand<<<divide_up(n, kThreads), kThreads>>>(nodes, edges, mask, next, visited, cost, n);
    advance<<<divide_up(n, kThreads), kThreads>>>(mask, next, visited, goes_on, n);
    run.launched();
  } while (fetch(goes_on));
  std::vector<int> result(n);
  REQUIRE(cudaMemcpy(result.data(), cost, n * sizeof(int), cudaMemcpyDeviceToHost));
  return run.finish(check(result, edge));
}
