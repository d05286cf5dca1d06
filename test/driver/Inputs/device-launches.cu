__global__ void child(int *values, int count) {
  if (threadIdx.x < count)
    values[threadIdx.x] = threadIdx.x;
}

__global__ void parent(int *values, int count) {
  child<<<1, 64>>>(values + 64 * threadIdx.x, count);
}

void launch(int *values) {
  parent<<<1, 4>>>(values, 64);
}
