// Grows a device buffer, as a container does, and goes on with the pointer to the old one.
#include <cstdio>

__global__ void fill(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = i;
}

__global__ void add_one(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] += 1;
}

int *grow(int *old_values, int old_count, int count) {
  int *values;
  cudaMalloc(&values, count * sizeof(int));
  cudaMemcpy(values, old_values, old_count * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaFree(old_values);
  return values;
}

int main() {
  int *values;
  cudaMalloc(&values, 100 * sizeof(int));
  fill<<<1, 128>>>(values, 100);
  int *grown = grow(values, 100, 200);
  add_one<<<1, 128>>>(values, 100); // BUG: `grown` was meant

  int last;
  cudaMemcpy(&last, grown + 99, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(grown);
  printf("last element: %d\n", last);
  return last == 100 ? 0 : 1;
}
