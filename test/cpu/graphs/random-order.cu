// Nodes of random graphs run after all their dependencies, whatever the order in which nodes and edges were added.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <algorithm>

// A node's level is one more than the highest level of its dependencies; 0 means that it has not run.
__global__ void level(int *levels, int self, const int *before, int count) {
  int highest = 0;
  for (int i = 0; i < count; ++i) {
    int other = levels[before[i]];
    highest = other == 0 ? 1000000 : other > highest ? other : highest;
  }
  levels[self] = highest + 1;
}

int main() {
  Random random(77);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  for (int round = 0; round < 12; ++round) {
    int n = 2 + int(random.below(70)), dense = 1 + int(random.below(6));
    std::vector<int> position(n); // in a random order, so that edges go in both directions between the nodes as added
    for (int i = 0; i < n; ++i)
      position[i] = i;
    for (int i = n - 1; i > 0; --i)
      std::swap(position[i], position[random.below(i + 1)]);
    std::vector<std::vector<int>> before(n);
    for (int to = 0; to < n; ++to)
      for (int from = 0; from < n; ++from)
        if (position[from] < position[to] && random.below(n) < unsigned(dense))
          before[to].push_back(from);
    int *levels, *lists;
    CUDA(cudaMalloc(&levels, n * sizeof(int)));
    CUDA(cudaMalloc(&lists, n * n * sizeof(int)));
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    std::vector<cudaGraphNode_t> nodes(n), from, to;
    for (int i = 0; i < n; ++i) {
      int count = int(before[i].size());
      const int *list = lists + i * n;
      CUDA(cudaMemcpy(lists + i * n, before[i].data(), count * sizeof(int), cudaMemcpyHostToDevice));
      void *arguments[] = {&levels, &i, &list, &count};
      cudaKernelNodeParams params = {};
      params.func = reinterpret_cast<void *>(level);
      params.gridDim = params.blockDim = dim3(1);
      params.kernelParams = arguments;
      CUDA(cudaGraphAddKernelNode(&nodes[i], graph, nullptr, 0, &params));
    }
    for (int i = 0; i < n; ++i)
      for (int other : before[i]) {
        from.push_back(nodes[other]);
        to.push_back(nodes[i]);
      }
    for (size_t i = from.size(); i-- > 1;) {
      size_t j = random.below(uint32_t(i + 1));
      std::swap(from[i], from[j]);
      std::swap(to[i], to[j]);
    }
    CUDA(cudaGraphAddDependencies(graph, from.data(), to.data(), nullptr, from.size()));
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    std::vector<int> expected(n), got(n);
    for (int p = 0; p < n; ++p)
      for (int i = 0; i < n; ++i)
        if (position[i] == p) {
          int highest = 0;
          for (int other : before[i])
            highest = std::max(highest, expected[other]);
          expected[i] = highest + 1;
        }
    for (int launch = 0; launch < 3; ++launch) {
      CUDA(cudaMemsetAsync(levels, 0, n * sizeof(int), stream));
      CUDA(cudaGraphLaunch(exec, stream));
      CUDA(cudaMemcpyAsync(got.data(), levels, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
      CUDA(cudaStreamSynchronize(stream));
      for (int i = 0; i < n; ++i)
        EXPECT(got[i] == expected[i], "round %d, node %d of %d: level %d, not %d", round, i, n, got[i], expected[i]);
    }
    printf("%d nodes, %zu edges: %016llx\n", n, from.size(), (unsigned long long)checksum(got));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(levels));
    CUDA(cudaFree(lists));
  }
  return passed();
}
