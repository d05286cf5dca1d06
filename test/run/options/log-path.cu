// With log_path the report goes to the file PATH.PID, and nothing goes to standard error.
// RUN: %gasan -O2 %s -o %t
// RUN: rm -f %t.log.* && %options=log_path=%t.log not %run %t 2>&1 >/dev/null | %silent && cat %t.log.* | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}log-path.cu:[[#@LINE+3]]:
// CHECK: ABORTING
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
