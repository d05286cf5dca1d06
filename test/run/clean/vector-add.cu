// Adds two vectors; the last block is not full.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <vector>

__global__ void add(const float *a, const float *b, float *sum, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    sum[i] = a[i] + b[i];
}

int main() {
  const int count = 100003;
  const size_t size = count * sizeof(float);
  std::vector<float> a(count), b(count), sum(count);
  for (int i = 0; i < count; ++i) {
    a[i] = i;
    b[i] = 2 * i;
  }
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, size);
  cudaMalloc(&device_b, size);
  cudaMalloc(&device_sum, size);
  cudaMemcpy(device_a, a.data(), size, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), size, cudaMemcpyHostToDevice);
  add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
  if (cudaMemcpy(sum.data(), device_sum, size, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  for (int i = 0; i < count; ++i)
    if (sum[i] != a[i] + b[i])
      return 1;
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
}
