/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A stream's kernel uses memory that cudaFreeAsync freed in the same stream before.
// BUG: ERROR: AddressSanitizer: (SEGV|heap-use-after-free) on cuda device 0
#include <cstdio>
__global__ void add(int *values) {
  atomicAdd(values, 1);
}
int main(int argc, char **argv) {
  int *memory;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&memory, 1 << 22, stream);
  cudaMemsetAsync(memory, 0, 4, stream);
  add<<<1, 32, 0, stream>>>(memory);
  cudaStreamSynchronize(stream);
  cudaFreeAsync(memory, stream);
  cudaStreamSynchronize(stream);
  if (argc > 1)
    add<<<1, 32, 0, stream>>>(memory);
  cudaStreamSynchronize(stream);
  printf("done\n");
}
