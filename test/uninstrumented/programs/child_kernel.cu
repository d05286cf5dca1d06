/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel launches another (dynamic parallelism), which stores behind 4 MiB.
// FLAGS: -rdc=true -lcudadevrt
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: parent\(int\*, int\)<<<1, 1>>>
#include <cstdio>
__global__ void child(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = i;
}
__global__ void parent(int *to, int count) {
  child<<<count / 256 + 1, 256>>>(to, count);
}
int main(int argc, char **argv) {
  const int count = 1 << 20;
  int *memory, last = 0;
  cudaMalloc(&memory, count * sizeof *memory);
  parent<<<1, 1>>>(memory, count + (argc > 1));
  cudaMemcpy(&last, memory + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(memory);
}
