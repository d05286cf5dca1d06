// REQUIRES: cuda
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -I%S/../../.. %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// The driver API changes an executable graph of the runtime API, and reuses its handle for another graph.
#include <cstdio>
#include <cuda.h>
#include <vector>

#include "by-hand.cuh"

static const int Size = 1000;
static int *to, *from;

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    int error_ = int(call);                                                                                            \
    if (error_) {                                                                                                      \
      printf("%d: %s: error %d\n", __LINE__, #call, error_);                                                           \
      return 2;                                                                                                        \
    }                                                                                                                  \
  } while (0)

template <typename Function>
static Function *entry_point(Function *, const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
  return reinterpret_cast<Function *>(function);
}
#define DRIVER(name) entry_point(name, #name)

static int launch(cudaGraphExec_t exec, int more, bool proven) {
  std::vector<int> got(Size);
  CUDA(cudaMemset(to, 0, Size * sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaMemcpy(got.data(), to, Size * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < Size; i++)
    if (got[i] != more + (proven ? PROVEN : 0)) {
      printf("value %d is %d, not %d\n", i, got[i], more);
      return 3;
    }
  return 0;
}

static cudaError_t capture(cudaGraph_t *graph, int more) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<4, 256, 0, stream>>>(to, From{Size, from}, more);
  return cudaStreamEndCapture(stream, graph);
}

int main() {
  CUDA(cudaMalloc(&to, Size * sizeof(int)));
  CUDA(cudaMalloc(&from, Size * sizeof(int)));
  CUDA(cudaMemset(from, 0, Size * sizeof(int)));
  cudaGraph_t graph, next;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  size_t count = 1;
  CUDA(capture(&graph, 1));
  CUDA(capture(&next, 2));
  CUDA(cudaGraphGetNodes(graph, &node, &count));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(launch(exec, 1, false));
  CUDA(launch(exec, 1, true));
  CUgraphExecUpdateResultInfo info;
  CUDA(DRIVER(cuGraphExecUpdate)(exec, next, &info));
  CUDA(launch(exec, 2, false));
  CUDA(launch(exec, 2, false));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(launch(exec, 1, false));
  CUDA(launch(exec, 1, true));
  CUDA_KERNEL_NODE_PARAMS params;
  CUDA(DRIVER(cuGraphKernelNodeGetParams)(node, &params));
  From view{Size, from};
  int more = 3;
  void *arguments[] = {&to, &view, &more};
  params.kernelParams = arguments;
  CUDA(DRIVER(cuGraphExecKernelNodeSetParams)(exec, node, &params));
  CUDA(launch(exec, 3, false));
  CUDA(launch(exec, 3, false));
  for (int i = 0; i < 10; i++) { // a new graph may get the same handle
    CUDA(DRIVER(cuGraphExecDestroy)(exec));
    CUDA(DRIVER(cuGraphInstantiateWithFlags)(&exec, i % 2 ? graph : next, 0));
    CUDA(launch(exec, i % 2 ? 1 : 2, false));
    CUDA(launch(exec, i % 2 ? 1 : 2, false));
    CUDA(DRIVER(cuGraphExecDestroy)(exec));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(launch(exec, 1, false));
    CUDA(launch(exec, 1, true));
  }
  return 0;
}
