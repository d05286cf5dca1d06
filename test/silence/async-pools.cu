// Stream-ordered memory of several streams and pools: freed and reused in stream order, used in other streams after
// events, and used by kernels that were launched before the free.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void fill(int *values, int count, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = value;
}

__global__ void check(const int *values, int count, int value, int *wrong) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && values[i] != value)
    atomicAdd(wrong, 1);
}

int main() {
  const int streams = 3, count = 3000;
  Buffer<int> wrong(std::vector<int>(1));
  cudaStream_t stream[streams];
  for (cudaStream_t &one : stream)
    CUDA(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  CUDA(cudaMemPoolCreate(&pool, &properties));
  cudaEvent_t filled, checked;
  CUDA(cudaEventCreate(&filled));
  CUDA(cudaEventCreate(&checked));
  for (int round = 0; round < 60; ++round) {
    cudaStream_t from = stream[round % streams], to = stream[(round + 1) % streams];
    int size = count - round, *values;
    if (round % 2)
      CUDA(cudaMallocAsync(&values, size * sizeof(int), from));
    else
      CUDA(cudaMallocFromPoolAsync(reinterpret_cast<void **>(&values), size * sizeof(int), pool, from));
    fill<<<12, 256, 0, from>>>(values, size, round);
    CUDA(cudaEventRecord(filled, from));
    CUDA(cudaStreamWaitEvent(to, filled, 0));
    check<<<12, 256, 0, to>>>(values, size, round, wrong);
    CUDA(cudaEventRecord(checked, to));
    CUDA(cudaStreamWaitEvent(from, checked, 0));
    CUDA(cudaFreeAsync(values, from));
  }
  CUDA(cudaDeviceSynchronize());
  EXPECT(wrong.host()[0] == 0, "%d", wrong.host()[0]);
  CUDA(cudaMemPoolDestroy(pool));
  for (cudaStream_t one : stream)
    CUDA(cudaStreamDestroy(one));
  return passed();
}
