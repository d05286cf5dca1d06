// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// A sum by shared memory, barriers and warp shuffles.
#include <vector>

__global__ void sum(const int *values, int count, long long *result) {
  __shared__ long long partial[256];
  long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    own += values[i];
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    long long value = partial[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0)
      atomicAdd((unsigned long long *)result, (unsigned long long)value);
  }
}

int main() {
  const int count = 200000;
  std::vector<int> host(count);
  long long expected = 0;
  for (int i = 0; i < count; ++i)
    expected += host[i] = i % 1000 - 300;
  int *values;
  long long *result, total = 0;
  cudaMalloc(&values, count * sizeof(int));
  cudaMalloc(&result, sizeof *result);
  cudaMemset(result, 0, sizeof *result);
  cudaMemcpy(values, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  sum<<<16, 256>>>(values, count, result);
  cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(result);
  return total != expected;
}
