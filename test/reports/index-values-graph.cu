// The values of the index in kernels of a graph: captured, added by a call, and updated. If nodes differ in values that
// the record does not tell apart, there are none.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 0 2>&1 | FileCheck %s --check-prefix=CAPTURED
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=ADDED
// RUN: not %run %t 2 2>&1 | FileCheck %s --check-prefix=UPDATED
// RUN: not %run %t 3 2>&1 | FileCheck %s --check-prefix=UNCLEAR
// RUN: %run %t 4 2>&1 >/dev/null | %silent
// CAPTURED: fill(float*, int)<<<4, 256>>> launched here
// CAPTURED: captured into the graph
// CAPTURED: ^ blockIdx.x * 256 + threadIdx.x = 1000
// CAPTURED-NEXT: n = 1000
// ADDED: added to the graph
// ADDED: ^ blockIdx.x * 256 + threadIdx.x = 1000
// ADDED-NEXT: n = 1001
// UPDATED: ^ blockIdx.x * 256 + threadIdx.x = 1000
// UPDATED-NEXT: n = 1002
// UNCLEAR: values[i] = 1;
// UNCLEAR-NEXT: {{^      \| +\^$}}
#include <cstdlib>

__global__ void fill(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    values[i] = 1;
}

static cudaGraphNode_t add(cudaGraph_t graph, float **values, int *n) {
  cudaGraphNode_t node;
  void *arguments[] = {values, n};
  cudaKernelNodeParams params = {};
  params.func = (void *)fill;
  params.gridDim = dim3(4);
  params.blockDim = dim3(256);
  params.kernelParams = arguments;
  if (cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params))
    exit(2);
  return node;
}

static void update(cudaGraphExec_t executable, cudaGraphNode_t node, float **values, int *n) {
  void *arguments[] = {values, n};
  cudaKernelNodeParams params = {};
  params.func = (void *)fill;
  params.gridDim = dim3(4);
  params.blockDim = dim3(256);
  params.kernelParams = arguments;
  if (cudaGraphExecKernelNodeSetParams(executable, node, &params))
    exit(3);
}

int main(int, char **arguments) {
  float *values, *other;
  int which = atoi(arguments[1]), good = 999, one = 1001, two = 1002;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  cudaMalloc(&values, 4000);
  cudaMalloc(&other, 8000);
  cudaStreamCreate(&stream);
  if (which == 0) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<4, 256, 0, stream>>>(values, 999);
    fill<<<4, 256, 0, stream>>>(values, 1000);
    fill<<<4, 256, 0, stream>>>(other, 1001);
    cudaStreamEndCapture(stream, &graph);
  } else {
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t node = add(graph, &values, which == 1 || which == 3 ? &one : &good);
    if (which == 3)
      add(graph, &values, &two);
    if (cudaGraphInstantiate(&executable, graph, 0))
      return 4;
    if (which == 2)
      update(executable, node, &values, &two);
  }
  if (which == 0 && cudaGraphInstantiate(&executable, graph, 0))
    return 4;
  cudaGraphLaunch(executable, stream);
  return cudaStreamSynchronize(stream) != cudaSuccess;
}
