/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel stores behind stream-ordered memory.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
#include <cstdio>
__global__ void fill(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
int main(int argc, char **argv) {
  const int count = 1 << 10;
  int *memory, last;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int round = 0; round < 20; round++) {
    cudaMallocAsync(&memory, count * sizeof *memory, stream);
    fill<<<count / 256 + 1, 256, 0, stream>>>(memory, count + (argc > 1));
    cudaMemcpyAsync(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(memory, stream);
  }
  cudaStreamSynchronize(stream);
  printf("%d\n", last);
}
