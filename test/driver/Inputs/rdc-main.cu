extern __device__ int offset;
__device__ int twice(int value);
int *second(int *device_value);

__global__ void first(int *value) {
  *value = twice(*value) + offset;
}

int main() {
  int *device_value, value = 10;
  cudaMalloc(&device_value, sizeof value);
  cudaMemcpy(device_value, &value, sizeof value, cudaMemcpyHostToDevice);
  first<<<1, 1>>>(device_value);
  cudaMemcpy(&value, second(device_value), sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(device_value);
  return value != 10 * 2 + 5 + 100;
}
