/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A cooperative launch in a stream of its own, whose last block stores behind its memory.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow)
// BUG: sums\(int\*, int\)<<<8, 128>>>
#include <cooperative_groups.h>
#include <cstdio>
__global__ void sums(int *values, int count) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i;
  grid.sync();
  if (i == 0)
    values[count - 1] = values[1023] + values[512];
}
int main(int argc, char **argv) {
  int *memory, result, count = 1024 + (argc > 1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&memory, 1024 * sizeof *memory);
  void *arguments[] = {&memory, &count};
  cudaLaunchCooperativeKernel((void *)sums, dim3(8), dim3(128), arguments, 0, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&result, memory + 1023, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d %s\n", result, cudaGetErrorName(cudaGetLastError()));
  cudaFree(memory);
}
