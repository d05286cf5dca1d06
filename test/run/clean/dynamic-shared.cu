// Reverses an array through dynamic shared memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
__global__ void reverse(int *values) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int *values, host[512];
  for (int i = 0; i < 512; ++i)
    host[i] = i;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<1, 512, sizeof host>>>(values);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return host[0] != 511 || host[511] != 0 || host[100] != 411;
}
