static __device__ int private_offset = 100;
__device__ int offset = 5;

__device__ int twice(int value) {
  return 2 * value;
}

__global__ void add_private(int *value) {
  *value += private_offset;
}

int *second(int *device_value) {
  add_private<<<1, 1>>>(device_value);
  return device_value;
}
