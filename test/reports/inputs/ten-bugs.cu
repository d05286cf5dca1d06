// Ten bugs in kernels and calls, for docs/comparison.md (test/reports/comparison.py).
#include <cstdlib>

__device__ int table[10];

__global__ void fill(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    values[i] = i; // bug 1
}

__global__ void differences(int *values, int *out) {
  int i = threadIdx.x;
  out[i] = values[i] - values[i - 1]; // bug 2
}

__global__ void increment(int *values) {
  values[threadIdx.x] += 1; // bugs 3 and 7
}

__global__ void local(int *out, int n) {
  int own[8];
  for (int i = 0; i <= n; i++)
    own[i] = i; // bug 5
  out[threadIdx.x] = own[threadIdx.x % 8];
}

__global__ void lookup(int *out, int n) {
  out[threadIdx.x] = table[threadIdx.x + n]; // bug 6
}

__global__ void widen(char *bytes) {
  ((int *)(bytes + 1))[threadIdx.x] = 0; // bug 9
}

__global__ void matrix(int *values, int columns) {
  int i = (blockIdx.x + 1) * columns + threadIdx.x;
  values[i] = 1; // bug 10
}

int main(int, char **arguments) {
  int *values, *out, host[101] = {};
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMalloc(&out, 100 * sizeof(int));
  switch (atoi(arguments[1])) {
  case 1:
    fill<<<2, 64>>>(values, 100);
    break;
  case 2:
    differences<<<1, 32>>>(values, out);
    break;
  case 3:
    cudaFree(values);
    increment<<<1, 32>>>(values);
    break;
  case 4:
    cudaFree(values);
    cudaFree(values); // bug 4
    break;
  case 5:
    local<<<1, 32>>>(out, 8);
    break;
  case 6:
    lookup<<<1, 8>>>(out, 3);
    break;
  case 7:
    increment<<<1, 32>>>(nullptr);
    break;
  case 8:
    cudaMemcpy(values, host, 101 * sizeof(int), cudaMemcpyHostToDevice); // bug 8
    break;
  case 9:
    widen<<<1, 8>>>((char *)values);
    break;
  case 10:
    matrix<<<1, 32>>>(values, 2147483647);
    break;
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
