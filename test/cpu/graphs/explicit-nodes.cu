// A graph made node by node: kernel, copy, set, host and empty nodes; queries of its structure; edges added and
// removed; nodes destroyed.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <algorithm>

__device__ int table[256];

__global__ void add(const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i] + table[i % 256];
}

static int hosts;
static void host(void *data) {
  hosts += *static_cast<int *>(data);
}

static cudaGraphNode_t kernelNode(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, int *a, int *b, int *out,
                                  int n) {
  void *arguments[] = {&a, &b, &out, &n};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(add);
  params.gridDim = dim3((n + 255) / 256);
  params.blockDim = dim3(256);
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  CUDA(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params));
  return node;
}

int main() {
  const int n = 3000;
  std::vector<int> first(n), second(n), result(n), symbol(256), symbolBack(256);
  Random random(5);
  for (int &v : first)
    v = int(random.below(100000));
  for (int &v : symbol)
    v = int(random.below(1000));
  int *a, *b, *c, step = 7;
  CUDA(cudaMalloc(&a, n * sizeof(int)));
  CUDA(cudaMalloc(&b, n * sizeof(int)));
  CUDA(cudaMalloc(&c, n * sizeof(int)));
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));

  cudaGraphNode_t in, set, toSymbol, sum, twice, out, call, empty, fromSymbol;
  CUDA(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, a, first.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaMemsetParams fill = {};
  fill.dst = b;
  fill.elementSize = 4;
  fill.value = 0x01020304;
  fill.width = n;
  fill.height = 1;
  CUDA(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  CUDA(cudaGraphAddMemcpyNodeToSymbol(&toSymbol, graph, nullptr, 0, table, symbol.data(), sizeof(table), 0,
                                      cudaMemcpyHostToDevice));
  sum = kernelNode(graph, {in, set, toSymbol}, a, b, c, n);
  CUDA(cudaGraphAddEmptyNode(&empty, graph, &sum, 1));
  twice = kernelNode(graph, {empty}, c, c, a, n);
  CUDA(cudaGraphAddMemcpyNodeFromSymbol(&fromSymbol, graph, nullptr, 0, symbolBack.data(), table, sizeof(table), 0,
                                        cudaMemcpyDeviceToHost));
  CUDA(cudaGraphAddDependencies(graph, &toSymbol, &fromSymbol, nullptr, 1));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(a, n * sizeof(int), n, 1);
  copy.dstPtr = make_cudaPitchedPtr(result.data(), n * sizeof(int), n, 1);
  copy.extent = make_cudaExtent(n * sizeof(int), 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaGraphAddMemcpyNode(&out, graph, &twice, 1, &copy));
  cudaHostNodeParams function = {host, &step};
  CUDA(cudaGraphAddHostNode(&call, graph, &out, 1, &function));

  // The structure, as the API returns it.
  size_t count = 0, roots = 0, edges = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT(count == 9 && roots == 3 && edges == 8, "%zu nodes, %zu roots, %zu edges", count, roots, edges);
  std::vector<cudaGraphNode_t> nodes(count), rootNodes(roots), from(edges), to(edges);
  CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  CUDA(cudaGraphGetRootNodes(graph, rootNodes.data(), &roots));
  CUDA(cudaGraphGetEdges(graph, from.data(), to.data(), nullptr, &edges));
  for (cudaGraphNode_t node : {in, set, toSymbol, sum, twice, out, call, empty, fromSymbol})
    EXPECT(std::count(nodes.begin(), nodes.end(), node) == 1, "a node is missing");
  for (cudaGraphNode_t node : {in, set, toSymbol})
    EXPECT(std::count(rootNodes.begin(), rootNodes.end(), node) == 1, "a root is missing");
  auto hasEdge = [&](cudaGraphNode_t x, cudaGraphNode_t y) {
    for (size_t i = 0; i < edges; ++i)
      if (from[i] == x && to[i] == y)
        return true;
    return false;
  };
  EXPECT(hasEdge(in, sum) && hasEdge(set, sum) && hasEdge(toSymbol, sum) && hasEdge(sum, empty) &&
             hasEdge(empty, twice) && hasEdge(twice, out) && hasEdge(out, call) && hasEdge(toSymbol, fromSymbol),
         "edges");
  const struct {
    cudaGraphNode_t node;
    cudaGraphNodeType type;
    size_t before, behind;
  } facts[] = {{in, cudaGraphNodeTypeMemcpy, 0, 1},       {set, cudaGraphNodeTypeMemset, 0, 1},
               {toSymbol, cudaGraphNodeTypeMemcpy, 0, 2}, {sum, cudaGraphNodeTypeKernel, 3, 1},
               {empty, cudaGraphNodeTypeEmpty, 1, 1},     {call, cudaGraphNodeTypeHost, 1, 0}};
  for (const auto &fact : facts) {
    cudaGraphNodeType type;
    size_t before = 0, behind = 0;
    CUDA(cudaGraphNodeGetType(fact.node, &type));
    CUDA(cudaGraphNodeGetDependencies(fact.node, nullptr, nullptr, &before));
    CUDA(cudaGraphNodeGetDependentNodes(fact.node, nullptr, nullptr, &behind));
    EXPECT(type == fact.type && before == fact.before && behind == fact.behind, "type %d, %zu, %zu", int(type), before,
           behind);
  }
  cudaGraphNode_t three[5];
  size_t room = 5; // more room than edges: the rest is NULL
  CUDA(cudaGraphNodeGetDependencies(sum, three, nullptr, &room));
  EXPECT(room == 3 && three[3] == nullptr && three[4] == nullptr, "room %zu", room);

  // The API returns the parameters. They are changed before the graph is instantiated.
  cudaKernelNodeParams kernel = {};
  CUDA(cudaGraphKernelNodeGetParams(sum, &kernel));
  EXPECT(kernel.gridDim.x == (n + 255) / 256 && kernel.blockDim.x == 256 &&
             *static_cast<int *>(kernel.kernelParams[3]) == n,
         "kernel");
  cudaMemsetParams filled = {};
  CUDA(cudaGraphMemsetNodeGetParams(set, &filled));
  EXPECT(filled.dst == b && filled.value == 0x01020304 && filled.width == size_t(n) && filled.height == 1, "memset");
  cudaHostNodeParams called = {};
  CUDA(cudaGraphHostNodeGetParams(call, &called));
  EXPECT(called.fn == host && called.userData == &step, "host");
  filled.value = 5;
  CUDA(cudaGraphMemsetNodeSetParams(set, &filled));

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    int expected = 2 * (first[i] + 5 + symbol[i % 256]) + symbol[i % 256];
    EXPECT(result[i] == expected, "%d: %d, not %d", i, result[i], expected);
  }
  EXPECT(hosts == 7, "host nodes: %d", hosts);
  EXPECT(symbolBack == symbol, "the symbol's copy differs");
  printf("results %016llx\n", (unsigned long long)checksum(result));
  CUDA(cudaGraphExecDestroy(exec));

  // Adds and removes an edge, and removes a node.
  CUDA(cudaGraphRemoveDependencies(graph, &toSymbol, &sum, nullptr, 1));
  CUDA(cudaGraphAddDependencies(graph, &toSymbol, &set, nullptr, 1));
  CUDA(cudaGraphDestroyNode(call));
  CUDA(cudaGraphDestroyNode(fromSymbol));
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(count == 7 && edges == 6 && roots == 2, "%zu nodes, %zu edges, %zu roots", count, edges, roots);
  std::fill(result.begin(), result.end(), 0);
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  printf("again %016llx\n", (unsigned long long)checksum(result));
  EXPECT(hosts == 7, "host nodes: %d", hosts);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  return passed();
}
