// A graph whose memory does not change is proven once, whatever else is allocated. New parameters of a node are proven
// again. The first launch of an executable has all checks.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %options=print_stats=1 %run %t scalar 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: %options=print_stats=1 %run %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// SAME: Stats: graphs: 50 launches, 49 of them with proven kernels, by 1 proofs and 1 changes of kernel nodes
// SCALAR: Stats: graphs: 50 launches, 49 of them with proven kernels, by 49 proofs and 49 changes of kernel nodes
// OTHER: Stats: graphs: 50 launches, 49 of them with proven kernels, by 1 proofs and 1 changes of kernel nodes
#include <cstring>

constexpr int Size = 1000;

__global__ void scale(float *values, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
  // OVERFLOW: #0 scale(float*, int, float) {{.*}}graphs-once.cu:[[#@LINE+2]]:
  if (i < n)
    values[i] *= factor;
}

int main(int, char **arguments) {
  auto is = [&](const char *name) { return !strcmp(arguments[1], name); };
  float *values, factor = 1;
  int n = Size;
  cudaMalloc(&values, Size * sizeof *values);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  void *parts[] = {&values, &n, &factor};
  cudaKernelNodeParams node_params = {};
  node_params.func = (void *)scale;
  node_params.gridDim = dim3(5);
  node_params.blockDim = dim3(256);
  node_params.kernelParams = parts;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &node_params);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int launch = 0; launch < 50; ++launch) {
    if (is("other")) {
      void *other;
      cudaMalloc(&other, 4096);
    }
    if (is("scalar") || (is("overflow") && launch == 40)) {
      factor = launch;
      n = is("overflow") ? Size + 1 : Size;
      cudaGraphExecKernelNodeSetParams(exec, node, &node_params);
    }
    cudaGraphLaunch(exec, nullptr);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
