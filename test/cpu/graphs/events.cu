// Events that a graph records for work outside of it (cudaEventRecordExternal), events that it waits for, and changes
// of them in an executable graph. Wrong calls on graphs return errors and change nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void add(int *value, int k) {
  *value += k;
}
__global__ void twice(int *value) {
  *value *= 2;
}

static void refused(cudaError_t error, const char *what) {
  EXPECT(error != cudaSuccess, "%s was allowed", what);
  cudaGetLastError();
}

int main() {
  int *value, got = 0;
  CUDA(cudaMalloc(&value, sizeof(int)));
  CUDA(cudaMemset(value, 0, sizeof(int)));
  CUDA(cudaDeviceSynchronize());
  cudaStream_t stream, other;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t ready, done, elsewhere;
  CUDA(cudaEventCreate(&ready));
  CUDA(cudaEventCreate(&done));
  CUDA(cudaEventCreate(&elsewhere));

  // The graph waits for `ready`, which the other stream records, and records `done`, for which the other stream waits.
  cudaGraph_t graph;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CUDA(cudaStreamWaitEvent(stream, ready, cudaEventWaitExternal));
  twice<<<1, 1, 0, stream>>>(value);
  CUDA(cudaEventRecordWithFlags(done, stream, cudaEventRecordExternal));
  CUDA(cudaStreamEndCapture(stream, &graph));
  size_t count = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 3, "%zu nodes", count);
  std::vector<cudaGraphNode_t> nodes(count);
  CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  cudaGraphNode_t record = nullptr, kernel = nullptr;
  int waits = 0;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(node, &type));
    cudaEvent_t event = nullptr;
    if (type == cudaGraphNodeTypeWaitEvent) {
      CUDA(cudaGraphEventWaitNodeGetEvent(node, &event));
      waits += event == ready;
    } else if (type == cudaGraphNodeTypeEventRecord) {
      CUDA(cudaGraphEventRecordNodeGetEvent(node, &event));
      EXPECT(event == done, "another event is recorded");
      record = node;
    } else {
      kernel = node;
    }
  }
  EXPECT(waits == 1 && record && kernel, "%d waits", waits);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  int expected = 0;
  for (int i = 0; i < 5; ++i) {
    add<<<1, 1, 0, other>>>(value, i + 1);
    CUDA(cudaEventRecord(ready, other));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamWaitEvent(other, done, 0));
    expected = (expected + i + 1) * 2;
  }
  CUDA(cudaEventSynchronize(done));
  CUDA(cudaStreamSynchronize(other));
  CUDA(cudaMemcpy(&got, value, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == expected, "%d, not %d", got, expected);
  printf("%d\n", got);
  CUDA(cudaGraphExecEventRecordNodeSetEvent(exec, record, elsewhere));
  CUDA(cudaEventRecord(ready, other));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaEventSynchronize(elsewhere));
  CUDA(cudaEventQuery(elsewhere));
  CUDA(cudaStreamSynchronize(stream));

  // Wrong calls.
  cudaGraph_t second, made = nullptr;
  CUDA(cudaGraphCreate(&second, 0));
  cudaGraphNode_t node, foreign;
  CUDA(cudaGraphAddEmptyNode(&foreign, second, nullptr, 0));
  cudaKernelNodeParams params;
  CUDA(cudaGraphKernelNodeGetParams(kernel, &params));
  cudaKernelNodeParams wrong = params;
  wrong.func = nullptr;
  refused(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &wrong), "a kernel node without a kernel");
  refused(cudaGraphAddEmptyNode(&node, graph, &foreign, 1), "a dependency on another graph's node");
  refused(cudaGraphAddDependencies(graph, &foreign, &kernel, nullptr, 1), "an edge between two graphs");
  refused(cudaGraphAddDependencies(graph, &kernel, &kernel, nullptr, 1), "an edge from a node to itself");
  refused(cudaGraphRemoveDependencies(graph, &record, &kernel, nullptr, 1), "the removal of an edge that is not there");
  cudaMemsetParams set = {};
  set.dst = value;
  set.elementSize = 4;
  set.width = set.height = 1;
  refused(cudaGraphMemsetNodeSetParams(kernel, &set), "a kernel node's memset");
  cudaHostNodeParams host = {};
  refused(cudaGraphHostNodeGetParams(kernel, &host), "a kernel node's host parameters");
  refused(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host), "a host node without a function");
  refused(cudaGraphExecKernelNodeSetParams(exec, foreign, &params), "another graph's node in an executable");
  refused(cudaGraphInstantiate(&exec, nullptr, 0), "an executable of no graph");
  refused(cudaGraphLaunch(nullptr, stream), "the launch of nothing");
  refused(cudaGraphClone(&made, nullptr), "a clone of nothing");

  // A cycle is an error when its last edge is added, or when the graph is instantiated.
  cudaGraphNode_t back = foreign, next;
  CUDA(cudaGraphAddEmptyNode(&next, second, &back, 1));
  cudaError_t error = cudaGraphAddDependencies(second, &next, &back, nullptr, 1);
  cudaGraphExec_t never;
  refused(error != cudaSuccess ? error : cudaGraphInstantiate(&never, second, 0), "a circle");
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 3, "%zu nodes after all", count);
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  return passed();
}
