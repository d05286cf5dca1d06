__device__ int written = 0;

__device__ void store(int *values, int i) {
  values[i] = 2 * i;
}
