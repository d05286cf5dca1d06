// Cooperative launches: no block leaves grid_group::sync before all blocks have arrived. Tested many times, with one
// block to as many as fit, in one, two and three dimensions, also after the return of threads that are not the block's
// first.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t | %same
// RUN: %options=cpu_threads=1 %run %t | %same.1
#include "../inputs/self_check.h"
#include <algorithm>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// In each step, a cell becomes the sum of its neighbours of the step before.
__global__ void stencil(unsigned *cells, unsigned *next, int count, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank(); i < count; i += grid.size())
      next[i] = cells[(i + 1) % count] + 3 * cells[(i + count - 1) % count] + step;
    grid.sync();
    unsigned *other = cells;
    cells = next;
    next = other;
  }
}

// Blocks synchronise in three dimensions after half of the threads have returned. A block must not see a count of the
// next step.
__global__ void counting(unsigned *counts, unsigned *wrong, int steps) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() % 2 == 1)
    return;
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  for (int step = 0; step < steps; ++step) {
    if (block.thread_rank() == 0)
      atomicAdd(&counts[step], 1u + (grid.is_valid() ? 0 : 1000));
    grid.sync();
    if (((volatile unsigned *)counts)[step] != blocks ||
        (step + 2 < steps && ((volatile unsigned *)counts)[step + 2] != 0))
      atomicAdd(wrong, 1u);
  }
}

static void checkStencil(int blocks, int threads, int count, int steps) {
  Random random(blocks);
  std::vector<unsigned> cells(count), next(count), got(count);
  for (unsigned &c : cells)
    c = random.next();
  unsigned *d[2];
  for (unsigned *&p : d)
    CUDA(cudaMalloc(&p, count * sizeof(unsigned)));
  CUDA(cudaMemcpy(d[0], cells.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
  void *arguments[] = {&d[0], &d[1], &count, &steps};
  CUDA(cudaLaunchCooperativeKernel((void *)stencil, dim3(blocks), dim3(threads), arguments, 0, 0));
  CUDA(cudaMemcpy(got.data(), d[steps % 2], count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < count; ++i)
      next[i] = cells[(i + 1) % count] + 3 * cells[(i + count - 1) % count] + step;
    std::swap(cells, next);
  }
  EXPECT(got == cells, "%d blocks of %d", blocks, threads);
  printf("%d blocks of %d: %016llx\n", blocks, threads, (unsigned long long)checksum(got));
  for (unsigned *p : d)
    CUDA(cudaFree(p));
}

int main() {
  checkStencil(1, 1, 10, 5);
  checkStencil(1, 256, 1000, 10);
  checkStencil(2, 64, 777, 21);
  checkStencil(7, 33, 5000, 8);
  checkStencil(16, 128, 20000, 6);
  {
    int steps = 12;
    unsigned *counts, *wrong, got[13];
    CUDA(cudaMalloc(&counts, sizeof got));
    CUDA(cudaMemset(counts, 0, sizeof got));
    wrong = counts + steps;
    void *arguments[] = {&counts, &wrong, &steps};
    CUDA(cudaLaunchCooperativeKernel((void *)counting, dim3(2, 3, 2), dim3(8, 4, 2), arguments, 0, 0));
    CUDA(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    for (int step = 0; step < steps; ++step)
      EXPECT(got[step] == 12, "step %d: %u", step, got[step]);
    EXPECT(got[steps] == 0, "%u threads saw a wrong count", got[steps]);
    CUDA(cudaFree(counts));
  }
  // As many blocks as fit, and one more than fit into 2,048 threads of a multiprocessor. Under gasan, a variant with
  // room for more blocks than the query returns may run.
  {
    int perMultiprocessor = 0, multiprocessors = 0, count = 4000, steps = 3;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, stencil, 1024, 0));
    CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    unsigned *d[2];
    for (unsigned *&p : d) {
      CUDA(cudaMalloc(&p, count * sizeof(unsigned)));
      CUDA(cudaMemset(p, 1, count * sizeof(unsigned)));
    }
    void *arguments[] = {&d[0], &d[1], &count, &steps};
    const dim3 most(perMultiprocessor * multiprocessors), more(std::max(most.x, 2u * multiprocessors) + 1);
    cudaError_t error = cudaLaunchCooperativeKernel((void *)stencil, more, dim3(1024), arguments, 0, 0);
    EXPECT(error == cudaErrorCooperativeLaunchTooLarge, "%s", cudaGetErrorName(error));
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge, "no last error");
    CUDA(cudaLaunchCooperativeKernel((void *)stencil, most, dim3(1024), arguments, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (unsigned *p : d)
      CUDA(cudaFree(p));
  }
  return passed();
}
