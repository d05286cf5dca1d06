// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// __constant__, __device__ and static __shared__ variables, and the host's access to them by symbol.
#include <cstring>

__constant__ float weights[4];
__device__ int counter = 3;
__device__ double table[8];

__global__ void use(float *out) {
  __shared__ float sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, weights[threadIdx.x]);
  atomicAdd(&counter, 1);
  table[threadIdx.x] = weights[threadIdx.x] * 2;
  __syncthreads();
  out[threadIdx.x] = sum;
}

int main() {
  const float host_weights[4] = {1, 2, 3, 4};
  float *out, host_out[4];
  int host_counter = 0;
  double host_table[4];
  cudaMalloc(&out, sizeof host_out);
  cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights);
  use<<<1, 4>>>(out);
  cudaMemcpy(host_out, out, sizeof host_out, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&host_counter, counter, sizeof host_counter);
  cudaMemcpyFromSymbol(host_table, table, sizeof host_table);
  size_t size = 0;
  void *address;
  cudaGetSymbolSize(&size, table);
  cudaGetSymbolAddress(&address, table);
  cudaMemset(address, 0, size);
  cudaFree(out);
  return host_out[3] != 10 || host_counter != 7 || host_table[3] != 8 || size != 64;
}
