// Occupancy: rules that hold on any device. A suggested block size can be launched, and cooperative grids of the
// computed size fit.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cooperative_groups.h>

__global__ void plain(int *count) {
  atomicAdd(count, 1);
}
__global__ void dynamic(int *count) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  __syncthreads();
  atomicAdd(count, shared[blockDim.x - 1 - threadIdx.x]);
}
__global__ void fixed(int *count) {
  __shared__ int shared[8192]; // 32 KiB
  shared[threadIdx.x] = 1;
  __syncthreads();
  atomicAdd(count, shared[blockDim.x - 1 - threadIdx.x]);
}
__global__ void together(int *count, int *seen) {
  atomicAdd(count, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0)
    atomicAdd(seen, *(volatile int *)count == int(gridDim.x * blockDim.x));
}

static int resident(const void *kernel, int threads, size_t shared) {
  int blocks = -1;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

int main() {
  int *count, *seen, most_threads = 0;
  CUDA(cudaMallocManaged(&count, sizeof *count));
  CUDA(cudaMallocManaged(&seen, sizeof *seen));
  CUDA(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  for (int threads = 32, before = 1 << 20; threads <= 1024; threads += 32) {
    int blocks = resident((void *)plain, threads, 0);
    EXPECT(blocks >= 1 && blocks <= before && blocks * threads <= most_threads, "%d threads: %d blocks", threads,
           blocks);
    before = blocks;
  }
  for (int shared = 0, before = 1 << 20; shared <= 48 << 10; shared += 4 << 10) {
    int blocks = resident((void *)dynamic, 64, shared);
    EXPECT(blocks >= 1 && blocks <= before, "%d bytes: %d blocks", shared, blocks);
    before = blocks;
  }
  EXPECT(resident((void *)fixed, 64, 0) < resident((void *)plain, 64, 0), "static shared memory counts");
  int flagged = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flagged, plain, 256, 0,
                                                              cudaOccupancyDisableCachingOverride));
  EXPECT(flagged >= 1, "%d", flagged);

  int grid = 0, block = 0;
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
  EXPECT(grid >= 1 && block >= 32 && block <= 1024 && block % 32 == 0, "%d x %d", grid, block);
  *count = 0;
  plain<<<3, block>>>(count);
  CUDA(cudaDeviceSynchronize());
  EXPECT(*count == 3 * block, "%d", *count);
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 96));
  EXPECT(block <= 96, "%d is above the limit", block);
  auto bytes = [](int threads) { return threads * sizeof(int) * 8; };
  CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, dynamic, bytes));
  EXPECT(resident((void *)dynamic, block, bytes(block)) >= 1, "%d threads with %zu bytes", block, bytes(block));
  *count = 0;
  dynamic<<<2, block, bytes(block)>>>(count);
  CUDA(cudaDeviceSynchronize());
  EXPECT(*count == 2 * block, "%d", *count);

  size_t available = 0;
  CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&available, dynamic, 8, 128));
  EXPECT(available > 0 && resident((void *)dynamic, 128, available - 1024) >= 8,
         "%zu bytes, of which CUDA takes 1024 a block", available);

  int multiprocessors = 0;
  CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  int blocks = resident((void *)together, 64, 0) * multiprocessors;
  blocks = blocks < 24 ? blocks : 24;
  *count = *seen = 0;
  void *arguments[] = {&count, &seen};
  CUDA(cudaLaunchCooperativeKernel((void *)together, blocks, 64, arguments, 0, nullptr));
  CUDA(cudaDeviceSynchronize());
  EXPECT(*seen == blocks && *count == blocks * 64, "%d of %d blocks", *seen, blocks);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)&most_threads, 32, 0) ==
             cudaErrorInvalidResourceHandle,
         "no kernel");
  cudaGetLastError();
  puts("done");
  CUDA(cudaFree(count));
  CUDA(cudaFree(seen));
  return passed();
}
