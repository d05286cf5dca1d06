__global__ void gather(const int *first, float *const *rows, float *sums) {
  float sum = 0;
  for (int i = first[threadIdx.x]; i < first[threadIdx.x + 1]; i++)
    sum += rows[i][threadIdx.x];
  sums[threadIdx.x] = sum;
}
