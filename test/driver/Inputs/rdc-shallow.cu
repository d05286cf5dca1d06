__device__ int deep(int value);

__global__ void use(int *value) {
  *value = deep(*value);
}

int main() {
  int host = 41, *device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  use<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  return host != 42;
}
