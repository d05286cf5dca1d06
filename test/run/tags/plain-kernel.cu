// REQUIRES: cuda
// RUN: %gasan -O2 -fno-sanitize=gpu-address -c %S/inputs/plain.cu -o %t.plain.o
// RUN: %gasan -O2 -c %s -fsanitize-gpu-address-tags -o %t.o
// RUN: %gasan %t.o %t.plain.o -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// Kernels without instrumentation get addresses without tags, in launches and graphs, also in by-value structs.
#include "inputs/plain.h"

__global__ void set(int *values) {
  values[threadIdx.x] = threadIdx.x;
}

int main() {
  int *values, *sum, result = 0;
  cudaMalloc(&values, 64 * sizeof *values);
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(sum, 0, sizeof *sum);
  set<<<1, 64>>>(values);
  const Part part = {1, values, values + 64};
  if (launch_plain(sum, part) != cudaSuccess)
    return 2;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  if (add_plain(graph, sum, part) != cudaSuccess || cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess ||
      cudaGraphLaunch(exec, 0) != cudaSuccess)
    return 3;
  if (cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 4;
  return result != 2 * 64 * 63 / 2;
}
