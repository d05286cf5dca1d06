// __trap ends the kernel: the next waiting call and all later calls return cudaErrorLaunchFailure. Threads that wait at
// a barrier or forever do not keep the kernel alive.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ volatile int never;

__global__ void trap(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  __syncthreads();
  if (i == 130)
    __trap();
  if (i == 135)
    while (!never) {
    }
  __syncthreads();
  out[i] = -1;
}

int main() {
  int *d;
  CUDA(cudaMalloc(&d, 256 * sizeof(int)));
  trap<<<4, 64>>>(d);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  int out = 0;
  printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&out, d, sizeof out, cudaMemcpyDeviceToHost)));
  trap<<<1, 1>>>(d);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
