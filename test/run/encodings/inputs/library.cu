__global__ void fill(int *values) { // the library of mixed-library.cu
  values[threadIdx.x] = threadIdx.x;
}

extern "C" int launch_fill() {
  int *values;
  cudaMalloc(&values, 32 * sizeof(int));
  fill<<<1, 32>>>(values);
  return cudaFree(values);
}
