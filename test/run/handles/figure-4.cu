// The program of the GASan paper's figure 4, which crashes there: a kernel loads a device pointer from device memory.
// The kernel's arguments do not contain this pointer.
//
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles %run %t 2>%t.err | FileCheck %s && cat %t.err | %silent
// RUN: %options=handle_bits=4:pool=handles %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 | FileCheck %s
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
