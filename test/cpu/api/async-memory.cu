// Stream-ordered allocation: many blocks of random sizes are allocated and freed in stream order, and used in several
// streams ordered by events.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void stamp(unsigned *values, int count, unsigned tag) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    values[i] = tag * 2654435761u + i;
}

__global__ void check(const unsigned *values, int count, unsigned tag, int *wrong) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (values[i] != tag * 2654435761u + i)
      atomicAdd(wrong, 1);
}

struct Block {
  unsigned *values;
  int count;
  unsigned tag;
  cudaStream_t stream;
};

int main() {
  Random random(11);
  cudaStream_t streams[3];
  cudaEvent_t event;
  int *wrong;
  CUDA(cudaMallocManaged(&wrong, sizeof *wrong));
  *wrong = 0;
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (cudaStream_t &stream : streams)
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<Block> live;
  unsigned long long bytes = 0;
  for (unsigned tag = 1; tag <= 300; ++tag) {
    if (live.size() > 20 || (!live.empty() && random.below(3) == 0)) {
      size_t victim = random.below(live.size());
      Block block = live[victim];
      live[victim] = live.back();
      live.pop_back();
      cudaStream_t stream = streams[random.below(3)]; // another stream may free, after an event of the last use
      if (stream != block.stream) {
        CUDA(cudaEventRecord(event, block.stream));
        CUDA(cudaStreamWaitEvent(stream, event));
      }
      check<<<3, 64, 0, stream>>>(block.values, block.count, block.tag, wrong);
      CUDA(cudaFreeAsync(block.values, stream));
      continue;
    }
    Block block = {nullptr, 1 + int(random.below(1u << (4 + random.below(12)))), tag, streams[random.below(3)]};
    CUDA(cudaMallocAsync(&block.values, block.count * sizeof(unsigned), block.stream));
    EXPECT(uintptr_t(block.values) % 256 == 0, "alignment");
    stamp<<<3, 64, 0, block.stream>>>(block.values, block.count, tag);
    bytes += block.count * sizeof(unsigned);
    live.push_back(block);
  }
  for (const Block &block : live)
    for (const Block &other : live)
      EXPECT(&block == &other || block.values + block.count <= other.values ||
                 other.values + other.count <= block.values,
             "two live blocks overlap");
  for (Block &block : live) {
    check<<<3, 64, 0, block.stream>>>(block.values, block.count, block.tag, wrong);
    CUDA(cudaFreeAsync(block.values, block.stream));
  }
  CUDA(cudaDeviceSynchronize());
  EXPECT(*wrong == 0, "%d values", *wrong);

  // Memory of cudaMalloc is freed in stream order; a copy uses stream-ordered memory without a kernel.
  unsigned *plain, *ordered, host[64] = {}, back[64] = {};
  CUDA(cudaMalloc(&plain, sizeof host));
  CUDA(cudaMallocAsync(&ordered, sizeof host, nullptr));
  for (unsigned i = 0; i < 64; ++i)
    host[i] = i * i;
  CUDA(cudaMemcpyAsync(plain, host, sizeof host, cudaMemcpyHostToDevice, nullptr));
  CUDA(cudaMemcpyAsync(ordered, plain, sizeof host, cudaMemcpyDeviceToDevice, nullptr));
  CUDA(cudaFreeAsync(plain, nullptr));
  CUDA(cudaMemcpyAsync(back, ordered, sizeof host, cudaMemcpyDeviceToHost, nullptr));
  CUDA(cudaFreeAsync(ordered, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  EXPECT(!memcmp(host, back, sizeof host), "copies");
  void *huge = nullptr;
  EXPECT(cudaMallocAsync(&huge, 1ull << 50, streams[0]) == cudaErrorMemoryAllocation, "a petabyte");
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess, "not sticky");
  printf("%llu bytes\n", bytes);
  for (cudaStream_t stream : streams)
    CUDA(cudaStreamDestroy(stream));
  CUDA(cudaEventDestroy(event));
  CUDA(cudaFree(wrong));
  return passed();
}
