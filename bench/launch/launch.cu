/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Measures the host's time of a launch; run.py compares proven launches with others.
//   launch [LAUNCHES [ROUNDS]]
// Prints medians in microseconds a launch: {"known": ..., "fresh": ..., "churned": ..., "bare": ..., "graph": ..., ...}
//   known          the same launch again and again
//   fresh          each launch has a new argument
//   churned        the same launch, with an allocation and a free before each (not part of the time)
//   bare           a kernel without accesses
//   graph          a graph of one kernel
//   graph100       a graph of a hundred kernels
//   graph_churned  the same after an allocation
//   graph_changed  the same with a new argument for one kernel (the change is part of the time)
#include <chrono>

#include "../harness.h"

__global__ void triad(float *a, const float *b, const float *c, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    a[i] = b[i] + factor * c[i];
}

__global__ void nothing() {}

constexpr int kBlock = 32, kMost = 1 << 20;

static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The median over rounds. The launch queue is never full, so that no launch waits for the device.
template <typename Before, typename Launch>
double measure(int launches, int rounds, Before before, Launch launch) {
  std::vector<double> times;
  for (int round = 0; round < rounds; round++) {
    double sum = 0;
    for (int i = 0; i < launches; i++) {
      before();
      double begin = now();
      launch(round * launches + i);
      sum += now() - begin;
    }
    REQUIRE(cudaDeviceSynchronize());
    times.push_back(sum / launches);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

// Each launch has `nodes` kernels. The caller limits the launches, so that they do not fill the queue.
template <typename Before, typename Change>
double measure_graph(int nodes, int launches, int rounds, Before before, Change change, void **arguments) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void *>(triad);
  params.gridDim = dim3(1);
  params.blockDim = dim3(kBlock);
  params.kernelParams = arguments;
  REQUIRE(cudaGraphCreate(&graph, 0));
  for (int i = 0; i < nodes; i++)
    REQUIRE(cudaGraphAddKernelNode(&node, graph, i ? &node : nullptr, i ? 1 : 0, &params));
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
  double time = measure(launches, rounds, before, [&](int) {
    change(executable, node, params);
    REQUIRE(cudaGraphLaunch(executable, nullptr));
  });
  REQUIRE(cudaGraphExecDestroy(executable));
  REQUIRE(cudaGraphDestroy(graph));
  return time;
}

int main(int count, char **arguments) {
  int launches = count > 1 ? atoi(arguments[1]) : 200, rounds = count > 2 ? atoi(arguments[2]) : 51;
  if (launches < 1 || rounds < 1 || (long long)launches * rounds > kMost - kBlock) {
    fprintf(stderr, "usage: launch [LAUNCHES [ROUNDS]], %d launches in all at most\n", kMost - kBlock);
    return 2;
  }
  float *a, *b, *c;
  for (float **array : {&a, &b, &c}) {
    REQUIRE(cudaMalloc(array, kMost * sizeof(float)));
    REQUIRE(cudaMemset(*array, 0, kMost * sizeof(float)));
  }
  auto none = [] {};
  auto same = [&](int) { triad<<<1, kBlock>>>(a, b, c, 2, kBlock); };
  auto other = [&](int i) { triad<<<1, kBlock>>>(a, b, c, 2, kBlock + i); };
  auto churn = [] {
    void *block;
    REQUIRE(cudaMalloc(&block, 1000));
    REQUIRE(cudaFree(block));
  };
  measure(launches, 1, none, same);
  double known = measure(launches, rounds, none, same);
  double fresh = measure(launches, rounds, none, other);
  double churned = measure(launches, rounds, churn, same);
  double bare = measure(launches, rounds, none, [](int) { nothing<<<1, kBlock>>>(); });
  float factor = 2;
  int block = kBlock, few = std::min(launches, 20);
  void *values[] = {&a, &b, &c, &factor, &block};
  auto keep = [](cudaGraphExec_t, cudaGraphNode_t, const cudaKernelNodeParams &) {};
  auto change = [&](cudaGraphExec_t executable, cudaGraphNode_t node, const cudaKernelNodeParams &params) {
    block = block % kBlock + 1;
    REQUIRE(cudaGraphExecKernelNodeSetParams(executable, node, &params));
  };
  double graph = measure_graph(1, launches, rounds, none, keep, values);
  double graph100 = measure_graph(100, few, rounds, none, keep, values);
  double graph_churned = measure_graph(100, few, rounds, churn, keep, values);
  double graph_changed = measure_graph(100, few, rounds, none, change, values);
  printf("{\"known\": %.4f, \"fresh\": %.4f, \"churned\": %.4f, \"bare\": %.4f, \"graph\": %.4f, \"graph100\": %.4f, "
         "\"graph_churned\": %.4f, \"graph_changed\": %.4f}\n",
         known, fresh, churned, bare, graph, graph100, graph_churned, graph_changed);
}
