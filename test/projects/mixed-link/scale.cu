__global__ void scale(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = 2 * i;
}

float scaled(int count, int accessed) {
  float *values, last = 0;
  cudaMalloc(&values, count * sizeof *values);
  scale<<<(accessed + 63) / 64, 64>>>(values, accessed);
  cudaMemcpy(&last, values + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return last;
}
