// A child graph is copied into its node: later changes of the original have no effect. Children nest, nodes after a
// child wait for all of its nodes, and a capture may launch an executable graph.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

// Appends to a log, to show the order: each node of a chain writes its own number.
__global__ void append(int *log, int *length, int number) {
  log[(*length)++] = number;
}

static int *logged, *length;

static cudaGraphNode_t node(cudaGraph_t graph, const cudaGraphNode_t *before, int number) {
  void *arguments[] = {&logged, &length, &number};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(append);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t made;
  CUDA(cudaGraphAddKernelNode(&made, graph, before, before != nullptr, &params));
  return made;
}

static void expect(cudaGraphExec_t exec, std::vector<int> numbers, const char *what) {
  CUDA(cudaMemset(length, 0, sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  int count = 0;
  CUDA(cudaMemcpy(&count, length, sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> got(count);
  CUDA(cudaMemcpy(got.data(), logged, count * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == numbers, "%s: %d entries, not %zu, or another order", what, count, numbers.size());
  printf("%s:", what);
  for (int number : got)
    printf(" %d", number);
  printf("\n");
}

int main() {
  CUDA(cudaMalloc(&logged, 1000 * sizeof(int)));
  CUDA(cudaMalloc(&length, sizeof(int)));
  cudaGraph_t inner, middle, outer, found;
  CUDA(cudaGraphCreate(&inner, 0));
  CUDA(cudaGraphCreate(&middle, 0));
  CUDA(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t i1 = node(inner, nullptr, 1), i2 = node(inner, &i1, 2);
  cudaGraphNode_t m1 = node(middle, nullptr, 10), child, second, third;
  CUDA(cudaGraphAddChildGraphNode(&child, middle, &m1, 1, inner));
  cudaGraphNode_t m2 = node(middle, &child, 11);
  node(inner, &i2, 3); // too late for the copy in middle
  CUDA(cudaGraphAddChildGraphNode(&second, outer, nullptr, 0, middle));
  cudaGraphNode_t o1 = node(outer, &second, 20);
  CUDA(cudaGraphAddChildGraphNode(&third, outer, &o1, 1, inner));
  node(outer, &third, 21);
  CUDA(cudaGraphDestroy(inner));

  cudaGraphNodeType type;
  CUDA(cudaGraphNodeGetType(third, &type));
  EXPECT(type == cudaGraphNodeTypeGraph, "type %d", int(type));
  CUDA(cudaGraphChildGraphNodeGetGraph(third, &found));
  size_t count = 0;
  CUDA(cudaGraphGetNodes(found, nullptr, &count));
  EXPECT(count == 3, "%zu nodes in the child", count);
  CUDA(cudaGraphChildGraphNodeGetGraph(child, &found));
  CUDA(cudaGraphGetNodes(found, nullptr, &count));
  EXPECT(count == 2, "%zu nodes in the other child", count);

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, outer, 0));
  expect(exec, {10, 1, 2, 11, 20, 1, 2, 3, 21}, "nested");
  expect(exec, {10, 1, 2, 11, 20, 1, 2, 3, 21}, "once more");

  // A child of an executable graph gets other parameters.
  cudaGraph_t changed;
  CUDA(cudaGraphCreate(&changed, 0));
  cudaGraphNode_t c1 = node(changed, nullptr, 101), c2 = node(changed, &c1, 102);
  node(changed, &c2, 103);
  CUDA(cudaGraphExecChildGraphNodeSetParams(exec, third, changed));
  expect(exec, {10, 1, 2, 11, 20, 101, 102, 103, 21}, "child changed");

  // The nodes of a graph inside of a node may change before the outer graph is instantiated again.
  CUDA(cudaGraphChildGraphNodeGetGraph(second, &found));
  std::vector<cudaGraphNode_t> nodes(3);
  count = 3;
  CUDA(cudaGraphGetRootNodes(found, nodes.data(), &count));
  EXPECT(count == 1, "%zu roots", count);
  int number = 77;
  void *arguments[] = {&logged, &length, &number};
  cudaKernelNodeParams params;
  CUDA(cudaGraphKernelNodeGetParams(nodes[0], &params));
  params.kernelParams = arguments;
  CUDA(cudaGraphKernelNodeSetParams(nodes[0], &params));
  cudaGraphExec_t again;
  CUDA(cudaGraphInstantiate(&again, outer, 0));
  expect(again, {77, 1, 2, 11, 20, 1, 2, 3, 21}, "changed inside");

  // A launch of a graph cannot be captured: it ends the capture.
  cudaStream_t stream;
  cudaGraph_t captured;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  append<<<1, 1, 0, stream>>>(logged, length, 500);
  EXPECT(cudaGraphLaunch(again, stream) == cudaErrorStreamCaptureUnsupported, "captured");
  EXPECT(cudaStreamEndCapture(stream, &captured) == cudaErrorStreamCaptureInvalidated, "the capture goes on");
  cudaGetLastError();
  CUDA(cudaGraphExecDestroy(again));
  (void)m2;
  return passed();
}
