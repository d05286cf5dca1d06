__global__ void swap(int *values) {
  __shared__ int all[64];
  all[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = all[threadIdx.x ^ 1];
}
