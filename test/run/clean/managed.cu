// A kernel and the host use the same managed memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
__global__ void square(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= values[i];
}

int main() {
  int *values;
  if (cudaMallocManaged(&values, 1000 * sizeof(int)) != cudaSuccess)
    return 2;
  for (int i = 0; i < 1000; ++i)
    values[i] = i;
  square<<<4, 256>>>(values, 1000);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 3;
  for (int i = 0; i < 1000; ++i)
    if (values[i] != i * i)
      return 1;
  cudaFree(values);
}
