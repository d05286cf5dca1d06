// Scales a vector on the GPU. The launch rounds the number of threads up to whole blocks, and the kernel forgets to ask
// whether its thread has an element: the last threads write past the end of the vector.
#include <cstdio>
#include <vector>

__global__ void scale(float *vector, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  vector[i] = vector[i] * factor; // BUG: no `if (i < count)`
}

int main() {
  const int count = 1000;
  std::vector<float> host(count, 1.5f);

  float *device;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(count + 255) / 256, 256>>>(device, 2.0f, count);
  cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);

  printf("last element: %g\n", host[count - 1]);
  return host[count - 1] == 3.0f ? 0 : 1;
}
