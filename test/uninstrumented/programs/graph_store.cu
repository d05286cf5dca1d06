/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel of a graph stores behind its allocation.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: a graph
#include <cstdio>
__global__ void fill(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
int main(int argc, char **argv) {
  const int count = 1 << 19;
  int *memory, last;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaMalloc(&memory, count * sizeof *memory);
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<count / 256 + 1, 256, 0, stream>>>(memory, count + (argc > 1));
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
}
