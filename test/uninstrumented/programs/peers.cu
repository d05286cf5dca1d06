/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two GPUs: copies between them, with and without peer access, and a kernel that uses the other's memory; with an
// argument, it stores behind it.
// DEVICES: 2
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device
#include <cstdio>
__global__ void fill(int *to, int count, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = value + i;
}
int main(int argc, char **argv) {
  const int count = 1 << 12;
  int *a, *b, last[3];
  cudaSetDevice(0);
  cudaMalloc(&a, count * sizeof *a);
  fill<<<count / 256, 256>>>(a, count, 1);
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  cudaMalloc(&b, count * sizeof *b);
  cudaMemcpy(b, a, count * sizeof *b, cudaMemcpyDeviceToDevice);
  cudaMemcpy(&last[0], b + count - 1, sizeof *last, cudaMemcpyDeviceToHost);
  cudaSetDevice(0);
  cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  fill<<<count / 256 + 1, 256>>>(b, count + (argc > 1), 2);
  cudaMemcpyPeer(a, 0, b, 1, count * sizeof *a);
  cudaMemcpyAsync(a, b, count * sizeof *a, cudaMemcpyDefault);
  cudaDeviceSynchronize();
  cudaMemcpy(&last[1], a + count - 1, sizeof *last, cudaMemcpyDeviceToHost);
  cudaMemset(b, 0, count * sizeof *b);
  cudaMemcpy(&last[2], b + count - 1, sizeof *last, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d %s\n", enabled, last[0], last[1], last[2], cudaGetErrorName(cudaGetLastError()));
}
