// Records of a trace have the module's number, and a graph is one launch with the records of all its kernels.
// REQUIRES: cpu
// RUN: %gasan -O2 -fsanitize-gpu-address-trace %s %S/inputs/second-module.cu -o %t
// RUN: %options=trace_path=%t.trace %run %t
// RUN: %mlb --print %t.trace | FileCheck %s
// CHECK: launch 1: _Z5firstPi, grid 1x1x1, block 32x1x1
// CHECK: write module [[#FIRST:]] site [[SITE:[0-9]+]] sm
// CHECK: launch 2: _Z6secondPi, grid 1x1x1, block 32x1x1
// CHECK: write module [[#3-FIRST]] site [[SITE]] sm
// CHECK: launch 3: a graph, grid 0x0x0
// CHECK: write module [[#FIRST]] site [[SITE]] sm 0 block 0 warp 0 mask ffffffff
// CHECK: write module [[#3-FIRST]] site [[SITE]] sm 0 block 0 warp 0 mask ffffffff
// CHECK-NOT: launch 4
__global__ void first(int *values) {
  values[threadIdx.x] = 1;
}

void launch_second(int *values, cudaStream_t stream);

int main() {
  int *values;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  cudaMalloc(&values, 128);
  cudaStreamCreate(&stream);
  first<<<1, 32, 0, stream>>>(values);
  launch_second(values, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  first<<<1, 32, 0, stream>>>(values);
  launch_second(values, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  return cudaStreamSynchronize(stream) != cudaSuccess;
}
