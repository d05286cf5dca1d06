// device=cuda on a machine without a GPU ends the program with a clear error.
// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: env CUDA_VISIBLE_DEVICES= %options=device=cuda not %run %t 2>&1 | FileCheck %s
// CHECK: gasan: ERROR: GASAN_OPTIONS=device=cuda, but
__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, 0);
  cudaError_t error = cudaDeviceSynchronize();
  store<<<1, 1>>>(values, 24);
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return error != cudaSuccess || last != 1 ? 4 : 0;
}
