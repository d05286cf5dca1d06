// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// A histogram by atomics in shared and global memory.
#include <cstring>
#include <vector>

__global__ void histogram(const unsigned char *data, int count, unsigned *bins) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int count = 100000;
  std::vector<unsigned char> host(count);
  unsigned expected[256] = {}, result[256];
  for (int i = 0; i < count; ++i)
    ++expected[host[i] = (unsigned char)(i * 7 + i / 300)];
  unsigned char *data;
  unsigned *bins;
  cudaMalloc(&data, count);
  cudaMalloc(&bins, sizeof result);
  cudaMemset(bins, 0, sizeof result);
  cudaMemcpy(data, host.data(), count, cudaMemcpyHostToDevice);
  histogram<<<8, 256>>>(data, count, bins);
  cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(data);
  cudaFree(bins);
  return memcmp(result, expected, sizeof result) != 0;
}
