// Cooperative groups: pointers shared by a group, tiles over shared memory, a grid-wide exchange through global memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void exchange(int *const *buffers, int count, int *out) {
  cg::grid_group grid = cg::this_grid();
  int *mine = buffers[blockIdx.x], *next = buffers[(blockIdx.x + 1) % gridDim.x];
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    mine[i] = blockIdx.x + 1;
  grid.sync();
  int total = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    total += next[i];
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  total = cg::reduce(warp, total, cg::plus<int>());
  if (warp.thread_rank() == 0)
    atomicAdd(&out[blockIdx.x], total);
}

__global__ void staged(const int *in, int count, int *out) { // the last piece of the copies has an odd size
  extern __shared__ int stage[];
  cg::thread_block block = cg::this_thread_block();
  for (int begin = 0; begin < count; begin += 64) {
    int size = min(64, count - begin);
    cg::memcpy_async(block, stage, in + begin, sizeof(int) * size);
    cg::wait(block);
    for (int i = block.thread_rank(); i < size; i += block.size())
      out[begin + size - 1 - i] = stage[i];
    block.sync();
  }
}

int main() {
  const int blocks = 3, count = 77;
  std::vector<int *> pointers(blocks);
  for (int *&pointer : pointers)
    CUDA(cudaMalloc(&pointer, count * sizeof(int)));
  Buffer<int *> buffers(pointers);
  Buffer<int> out(std::vector<int>(blocks, 0));
  int *const *first = buffers.data;
  int *second = out.data, size = count;
  void *arguments[] = {&first, &size, &second};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(exchange), blocks, 64, arguments, 0, nullptr));
  std::vector<int> got = out.host();
  for (int block = 0; block < blocks; ++block)
    EXPECT(got[block] == ((block + 1) % blocks + 1) * count, "%d: %d", block, got[block]);
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = i;
  Buffer<int> in(values), turned(count);
  staged<<<1, 32, 64 * sizeof(int)>>>(in, count, turned);
  EXPECT(turned.host()[0] == 63 && turned.host()[76] == 64, "%d %d", turned.host()[0], turned.host()[76]);
  for (int *pointer : pointers)
    CUDA(cudaFree(pointer));
  return passed();
}
