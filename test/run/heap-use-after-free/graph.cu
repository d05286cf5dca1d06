// A kernel node of a child graph uses memory that is freed between two launches of the graph. The report names the
// launch, and the place where the node was added. A node with new parameters is reported with its new shape.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void scale(float *values, float factor) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-SAME: {{^}} (and 95 more threads of this kernel)
  // CHECK-NEXT: #0 scale(float*, float) {{.*}}graph.cu:[[#@LINE+2]]:
  // CHECK-NEXT: #1 scale(float*, float)<<<3, 32>>> launched here by host thread T0:
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

int main() {
  float *values, factor = 2;
  if (cudaMalloc(&values, 96 * sizeof(float)) != cudaSuccess ||
      cudaMemset(values, 0, 96 * sizeof(float)) != cudaSuccess)
    return 2;
  void *arguments[] = {&values, &factor};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(scale);
  params.gridDim = dim3(1);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  cudaGraph_t graph, child;
  cudaGraphNode_t node, outer;
  cudaGraphExec_t exec;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess || cudaGraphCreate(&child, 0) != cudaSuccess ||
      cudaGraphAddKernelNode(&node, child, nullptr, 0, &params) != cudaSuccess)
    return 3;
  params.gridDim = dim3(3);
  params.blockDim = dim3(32);
  if (cudaGraphKernelNodeSetParams(node, &params) != cudaSuccess ||
      cudaGraphAddChildGraphNode(&outer, graph, nullptr, 0, child) != cudaSuccess ||
      cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
    return 4;
  if (cudaGraphLaunch(exec, nullptr) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 5;
#ifndef FIXED
  cudaFree(values);
#endif
  // CHECK-NEXT: #2 {{0x[0-9a-f]+}} in main {{.*}}graph.cu:[[#@LINE+5]]:
  // CHECK: added to the graph by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in main {{.*}}graph.cu:[[#@LINE-11]]:
  // CHECK: freed by host thread T0 here:
  // CHECK: #1 {{0x[0-9a-f]+}} in main {{.*}}graph.cu:[[#@LINE-6]]:
  if (cudaGraphLaunch(exec, nullptr) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 6;
  return 0;
}
