// Correct programs that are awkward for regions: end pointers, the heap's own pointer, memory that is given again while
// earlier kernels run, several streams, graphs that use blocks that were freed while they were captured, random blocks.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 -fsanitize-gpu-address-launch-proof=off %s -o %t.plain
// RUN: %run %t.plain 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow -fsanitize-gpu-address-granule=256 %s -o %t.256
// RUN: %run %t.256 2>&1 >/dev/null | %silent
#include "inputs/caching.h"
#include "inputs/pool_resource.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void fill(int *values, int count, int value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    values[i] = value;
}

// Reads backwards from the end, as reverse iterators do.
__global__ void sum_back(const int *end, int count, int *result) {
  int total = 0;
  for (int i = 1; i <= count; ++i)
    total += *(end - i);
  *result = total;
}

// Finds its data by offsets from the heap's base.
__global__ void fill_at(char *heap, const int *offsets, int count, int bytes) {
  for (int i = 0; i < count; ++i)
    for (int at = threadIdx.x; at < bytes; at += blockDim.x)
      heap[offsets[i] + at] = i;
}

__global__ void spin(int *values, int count, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (int i = threadIdx.x; i < count; i += blockDim.x)
      ((volatile int *)values)[i] = round;
}

static int check(const char *what, bool right) {
  if (!right)
    fprintf(stderr, "%s is wrong\n", what);
  return !right;
}

static int end_pointers() {
  CachingAllocator allocator;
  int *a = (int *)allocator.malloc(4096), *b = (int *)allocator.malloc(4096), *result = (int *)allocator.malloc(4);
  int host = 0;
  fill<<<1, 256>>>(a, 1024, 1);
  fill<<<1, 256>>>(b, 1024, 2);
  sum_back<<<1, 1>>>(a + 1024, 1024, result); // a's end is b's base
  cudaMemcpy(&host, result, 4, cudaMemcpyDeviceToHost);
  int wrong = check("the sum of a", host == 1024);
  allocator.free(b);
  sum_back<<<1, 1>>>(a + 1024, 1024, result); // and b is free
  cudaMemcpy(&host, result, 4, cudaMemcpyDeviceToHost);
  wrong += check("the second sum of a", host == 1024);
  PoolResource pool(1 << 16);
  int *small[10];
  for (int i = 0; i < 10; ++i)
    small[i] = (int *)pool.allocate(256);
  for (int i = 0; i < 10; ++i)
    fill<<<1, 64>>>(small[i], 64, i);
  for (int i = 0; i < 10; ++i) {
    sum_back<<<1, 1>>>(small[i] + 64, 64, result);
    cudaMemcpy(&host, result, 4, cudaMemcpyDeviceToHost);
    wrong += check("a small sum", host == 64 * i);
  }
  return wrong;
}

static int heap_pointer() {
  char *heap;
  int host[8], *offsets;
  cudaMalloc(&heap, 1 << 16);
  cudaMalloc(&offsets, sizeof host);
  gasan_heap_register(heap, 1 << 16);
  for (int i = 0; i < 8; ++i) {
    host[i] = 64 + 1000 * i; // the allocator's own data lies in front
    gasan_region_register(heap + host[i], 600);
  }
  cudaMemcpy(offsets, host, sizeof host, cudaMemcpyHostToDevice);
  fill_at<<<1, 64>>>(heap, offsets, 8, 600);
  int wrong = check("the launch by offsets", cudaDeviceSynchronize() == cudaSuccess);
  cudaPointerAttributes attributes;
  wrong += check("the attributes",
                 cudaPointerGetAttributes(&attributes, heap) == cudaSuccess && attributes.type == cudaMemoryTypeDevice);
  gasan_heap_unregister(heap);
  cudaMemset(heap, 0, 1 << 16);
  cudaFree(heap);
  cudaFree(offsets);
  return wrong;
}

// The host frees a block as soon as it has launched the kernel, and gives parts of it again.
static int reuse() {
  CachingAllocator allocator;
  cudaStream_t streams[3];
  for (cudaStream_t &stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int round = 0; round < 20; ++round) {
    int *block = (int *)allocator.malloc(65536);
    spin<<<1, 256, 0, streams[0]>>>(block, 16384, 20);
    allocator.free(block);
    int *parts[3];
    for (int i = 0; i < 3; ++i)
      parts[i] = (int *)allocator.malloc(8192 + 512 * (unsigned)i);
    for (int i = 0; i < 3; ++i) {
      spin<<<1, 256, 0, streams[0]>>>(parts[i], 2048 + 128 * i, 2);
      allocator.free(parts[i]);
    }
    int *other = (int *)allocator.malloc(1000000);
    spin<<<1, 256, 0, streams[1 + round % 2]>>>(other, 250000, 1);
    cudaStreamSynchronize(streams[1 + round % 2]);
    allocator.free(other);
  }
  return check("the reuse", cudaDeviceSynchronize() == cudaSuccess);
}

// Memory that was freed while a stream captured is the graph's as long as the heap exists.
static int graph() {
  CachingAllocator allocator;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  int *kept = (int *)allocator.malloc(4096);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  int *temporary = (int *)allocator.malloc(8192);
  fill<<<1, 256, 0, stream>>>(temporary, 2048, 1);
  allocator.free(temporary);
  int *second = (int *)allocator.malloc(4096);
  fill<<<1, 256, 0, stream>>>(second, 1024, 2);
  fill<<<1, 256, 0, stream>>>(kept, 1024, 3);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  allocator.free(second);
  for (int i = 0; i < 5; ++i)
    cudaGraphLaunch(exec, stream);
  return check("the graph", cudaStreamSynchronize(stream) == cudaSuccess);
}

static int random_blocks() {
  CachingAllocator caching;
  PoolResource pool(8 << 20);
  std::vector<std::pair<void *, int>> blocks, small;
  srand(1);
  for (int step = 0; step < 600; ++step) {
    bool is_small = rand() % 2;
    auto &list = is_small ? small : blocks;
    if (list.size() < 30 || rand() % 2) {
      int count = rand() % (is_small ? 200 : 20000) + 1;
      void *block = is_small ? pool.allocate(4 * (size_t)count) : caching.malloc(4 * (size_t)count);
      list.push_back({block, count});
      fill<<<1, 256>>>((int *)block, count, step);
    } else {
      size_t index = (size_t)rand() % list.size();
      fill<<<1, 256>>>((int *)list[index].first, list[index].second, step);
      is_small ? pool.deallocate(list[index].first) : caching.free(list[index].first);
      list.erase(list.begin() + (long)index);
    }
  }
  for (auto &block : blocks)
    fill<<<1, 256>>>((int *)block.first, block.second, 0);
  for (auto &block : small)
    fill<<<1, 256>>>((int *)block.first, block.second, 0);
  return check("the random blocks", cudaDeviceSynchronize() == cudaSuccess);
}

int main() {
  return end_pointers() + heap_pointer() + reuse() + graph() + random_blocks();
}
