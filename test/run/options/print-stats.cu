// The option print_stats prints counts of modules, launches and allocations.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s
// CHECK: 1 of 1 modules launched and instrumented
// CHECK: 2 launches
// CHECK: 1 allocations, 1 frees, 0 live chunks
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
