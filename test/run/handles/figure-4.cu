// The program of the GASan paper's figure 4, which crashes there: a kernel loads a device pointer from device memory,
// so that no argument tells the runtime of it.
//
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %run pool=handles %t | %check %silent
// RUN: %run handle_bits=4 pool=handles %t | %check
// RUN: %run %t | %check
#include <cstdio>
#include <cuda_runtime.h>

int host_x = 0xC57292;

__global__ void kernel(int **ppx) {
  printf("%x\n", **ppx); // CHECK: c57292
}

int main() {
  void *devp_x;
  void *devp_px;
  cudaMalloc(&devp_x, sizeof(int));
  cudaMalloc(&devp_px, sizeof(int *));
  cudaMemcpy(devp_x, &host_x, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(devp_px, &devp_x, sizeof(int *), cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>((int **)devp_px);
  return cudaDeviceSynchronize() != cudaSuccess;
}
