// The option exitcode sets the exit code of a program with a report.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=exitcode=23 %exit=23 %t 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}exitcode.cu:[[#@LINE+2]]:
__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, 25);
  cudaError_t error = cudaDeviceSynchronize();
  store<<<1, 1>>>(values, 24);
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return error != cudaSuccess || last != 1 ? 4 : 0;
}
