__global__ void put(int *value) {
  extern __shared__ int values[];
  values[threadIdx.x] = *value;
  __syncthreads();
  *value = values[threadIdx.x ^ 1];
}
