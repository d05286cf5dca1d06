// Queries of a capture (id, graph, dependency set), changes of its next node's dependencies, and capture into an
// existing graph.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void append(int *log, int *length, int number) {
  log[(*length)++] = number;
}
__global__ void store(int *to, int number) {
  *to = number;
}

static cudaStreamCaptureStatus info(cudaStream_t stream, unsigned long long *id = nullptr, cudaGraph_t *graph = nullptr,
                                    std::vector<cudaGraphNode_t> *nodes = nullptr) {
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *list = nullptr;
  const cudaGraphEdgeData *edges = nullptr;
  size_t count = 0;
  CUDA(cudaStreamGetCaptureInfo(stream, &status, id, graph, nodes ? &list : nullptr, nodes ? &edges : nullptr,
                                nodes ? &count : nullptr));
  if (nodes)
    nodes->assign(list, list + count);
  return status;
}

static size_t dependencies(cudaGraphNode_t node) {
  size_t count = 0;
  CUDA(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count));
  return count;
}

int main() {
  int *log, *length, *cells;
  CUDA(cudaMalloc(&log, 100 * sizeof(int)));
  CUDA(cudaMalloc(&length, sizeof(int)));
  CUDA(cudaMalloc(&cells, 4 * sizeof(int)));
  CUDA(cudaMemset(length, 0, sizeof(int)));
  CUDA(cudaMemset(cells, 0, 4 * sizeof(int)));
  CUDA(cudaDeviceSynchronize()); // the streams have no other work
  cudaStream_t stream, side;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  EXPECT(info(stream) == cudaStreamCaptureStatusNone, "not capturing yet");

  unsigned long long id = 0, sideId = 0, nextId = 0;
  cudaGraph_t graph = nullptr, seen = nullptr;
  std::vector<cudaGraphNode_t> nodes, before;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT(info(stream, &id, &seen, &nodes) == cudaStreamCaptureStatusActive && seen && nodes.empty(),
         "an empty capture: %zu nodes", nodes.size());
  append<<<1, 1, 0, stream>>>(log, length, 1);
  info(stream, nullptr, nullptr, &before);
  EXPECT(before.size() == 1 && dependencies(before[0]) == 0, "behind one node");
  append<<<1, 1, 0, stream>>>(log, length, 2);
  info(stream, nullptr, nullptr, &nodes);
  EXPECT(nodes.size() == 1 && nodes[0] != before[0] && dependencies(nodes[0]) == 1, "behind two nodes");

  // Adds a node to the graph during capture. The next captured node depends on it (too).
  cudaGraphNode_t byHand;
  void *arguments[4];
  int number = 3;
  arguments[0] = &log, arguments[1] = &length, arguments[2] = &number;
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(append);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&byHand, seen, nodes.data(), nodes.size(), &params));
  CUDA(cudaStreamUpdateCaptureDependencies(stream, &byHand, nullptr, 1, cudaStreamSetCaptureDependencies));
  info(stream, nullptr, nullptr, &nodes);
  EXPECT(nodes.size() == 1 && nodes[0] == byHand, "the set was not replaced");
  CUDA(cudaStreamUpdateCaptureDependencies(stream, &before[0], nullptr, 1, cudaStreamAddCaptureDependencies));
  info(stream, nullptr, nullptr, &nodes);
  EXPECT(nodes.size() == 2, "the set was not added to");
  append<<<1, 1, 0, stream>>>(log, length, 4);
  info(stream, nullptr, nullptr, &nodes);
  EXPECT(nodes.size() == 1 && dependencies(nodes[0]) == 2, "the node behind both");

  // The same capture continues in another stream.
  cudaEvent_t event;
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA(cudaEventRecord(event, stream));
  CUDA(cudaStreamWaitEvent(side, event, 0));
  EXPECT(info(side, &sideId, &graph, &nodes) == cudaStreamCaptureStatusActive && sideId == id && graph == seen &&
             nodes.size() == 1,
         "the other stream");
  append<<<1, 1, 0, side>>>(log, length, 5);
  CUDA(cudaEventRecord(event, side));
  CUDA(cudaStreamWaitEvent(stream, event, 0));
  CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT(graph == seen, "another graph came out");
  EXPECT(info(stream) == cudaStreamCaptureStatusNone && info(side) == cudaStreamCaptureStatusNone, "still capturing");
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  int count = 0, numbers[100] = {};
  CUDA(cudaMemcpy(&count, length, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(numbers, log, sizeof numbers, cudaMemcpyDeviceToHost));
  EXPECT(count == 5, "%d entries", count);
  for (int i = 0; i < 5; ++i)
    EXPECT(numbers[i] == i + 1, "entry %d: %d", i, numbers[i]);

  // Captures into an existing graph, after two of its nodes.
  cudaGraph_t into;
  CUDA(cudaGraphCreate(&into, 0));
  cudaGraphNode_t roots[2];
  for (int i = 0; i < 2; ++i) {
    int *cell = cells + i, stored = 10 + i;
    arguments[0] = &cell, arguments[1] = &stored;
    params.func = reinterpret_cast<void *>(store);
    CUDA(cudaGraphAddKernelNode(&roots[i], into, nullptr, 0, &params));
  }
  CUDA(cudaStreamBeginCaptureToGraph(stream, into, roots, nullptr, 2, cudaStreamCaptureModeThreadLocal));
  EXPECT(info(stream, &nextId, &seen, &nodes) == cudaStreamCaptureStatusActive && seen == into && nextId != id &&
             nodes.size() == 2,
         "into a graph");
  CUDA(cudaMemcpyAsync(cells + 2, cells, 2 * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  store<<<1, 1, 0, stream>>>(cells, 99);
  CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT(graph == into, "another graph came out");
  size_t total = 0, edges = 0;
  CUDA(cudaGraphGetNodes(into, nullptr, &total));
  CUDA(cudaGraphGetEdges(into, nullptr, nullptr, nullptr, &edges));
  EXPECT(total == 4 && edges == 3, "%zu nodes, %zu edges", total, edges);
  CUDA(cudaGraphInstantiate(&exec, into, 0));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  int got[4];
  CUDA(cudaMemcpy(got, cells, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got[0] == 99 && got[1] == 11 && got[2] == 10 && got[3] == 11, "%d %d %d %d", got[0], got[1], got[2], got[3]);
  printf("%d entries, %d %d %d %d\n", count, got[0], got[1], got[2], got[3]);
  return passed();
}
