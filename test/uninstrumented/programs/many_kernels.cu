/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One of many kernels, in one of four streams, stores behind its memory. The report names it and no other.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: found between launches
// BUG: Only this kernel may have written there:\nlast\(int\*, int\)<<<1, 64>>>
// BUG: located [0-3] bytes after 400-byte region
#include <cstdio>
__global__ void add(int *to, int count, int value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i] += value;
}
__global__ void last(int *to, int count) {
  if (threadIdx.x == 0)
    to[count - 1] += 1;
}
int main(int argc, char **argv) {
  cudaStream_t streams[4];
  int *memory[4], results[4];
  for (int i = 0; i < 4; i++) {
    cudaStreamCreateWithFlags(&streams[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault);
    cudaMalloc(&memory[i], 100 * sizeof **memory);
    cudaMemset(memory[i], 0, 100 * sizeof **memory);
  }
  cudaDeviceSynchronize();
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 4; i++) {
      add<<<1, 64, 0, streams[i]>>>(memory[i], 100, round);
      last<<<1, 64, 0, streams[i]>>>(memory[i], 100 + (argc > 1 && round == 1 && i == 2));
      cudaStreamSynchronize(streams[i]);
    }
  for (int i = 0; i < 4; i++)
    cudaMemcpy(&results[i], memory[i] + 99, sizeof *results, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d %s\n", results[0], results[1], results[2], results[3], cudaGetErrorName(cudaGetLastError()));
}
