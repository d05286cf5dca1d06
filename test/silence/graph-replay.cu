// Graphs are captured, and launched again after other memory was allocated and freed. Some have memory nodes whose
// addresses are reused, or arguments that change between launches.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void add(int *values, int count, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] += by;
}

int main() {
  const int count = 1000;
  Buffer<int> a(std::vector<int>(count, 0)), b(std::vector<int>(count, 0));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  add<<<4, 256, 0, stream>>>(a, count, 1);
  add<<<4, 256, 0, stream>>>(b + 10, count - 10, 2);
  int *scratch;
  CUDA(cudaMallocAsync(&scratch, count * sizeof(int), stream));
  CUDA(cudaMemsetAsync(scratch, 0, count * sizeof(int), stream));
  add<<<4, 256, 0, stream>>>(scratch, count, 3);
  CUDA(cudaFreeAsync(scratch, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&executable, graph, 0));
  std::vector<int *> others;
  for (int round = 0; round < 20; ++round) {
    int *other;
    CUDA(cudaMalloc(&other, (round + 1) * 5000));
    others.push_back(other);
    if (round % 3 == 2) {
      CUDA(cudaFree(others.front()));
      others.erase(others.begin());
    }
    add<<<4, 256, 0, stream>>>(other, 1000, round);
    CUDA(cudaGraphLaunch(executable, stream));
  }
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(a.host() == std::vector<int>(count, 20), "%d", a.host()[0]);
  EXPECT(b.host()[9] == 0 && b.host()[999] == 40, "%d %d", b.host()[9], b.host()[999]);
  for (int *other : others)
    CUDA(cudaFree(other));
  CUDA(cudaGraphExecDestroy(executable));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
