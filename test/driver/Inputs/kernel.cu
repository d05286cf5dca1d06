void helper();

__global__ void add_one(int *value) {
  *value += 1;
}

int main() {
  int *device_value, value = 41;
  helper();
  cudaMalloc(&device_value, sizeof value);
  cudaMemcpy(device_value, &value, sizeof value, cudaMemcpyHostToDevice);
  add_one<<<1, 1>>>(device_value);
  cudaMemcpy(&value, device_value, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(device_value);
  return value != 42;
}
