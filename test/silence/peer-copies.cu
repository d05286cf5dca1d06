// Copies between devices' memories, here from one device to itself, and kernels that use the copied data.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void add(int *values, int count) {
  if (threadIdx.x < count)
    values[threadIdx.x] += 1;
}

int main() {
  std::vector<int> values(100, 4), expected(100, 5);
  Buffer<int> from(values), to(100);
  CUDA(cudaMemcpyPeer(to, 0, from, 0, 100 * sizeof(int)));
  add<<<1, 128>>>(to, 100);
  EXPECT(to.host() == expected, "%d", to.host()[0]);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemcpyPeerAsync(from.data + 50, 0, to.data + 50, 0, 50 * sizeof(int), stream));
  add<<<1, 128, 0, stream>>>(from + 50, 50);
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(from.host()[49] == 4 && from.host()[99] == 6, "%d %d", from.host()[49], from.host()[99]);
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
