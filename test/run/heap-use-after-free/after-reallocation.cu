// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A new buffer of the same size does not get the old buffer's addresses while the old buffer is in quarantine.
__global__ void store(int *values, int value) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (0,0,0)
  // CHECK-NEXT: #0 store(int*, int) {{.*}}after-reallocation.cu:[[#@LINE+1]]:
  values[threadIdx.x] = value;
}

int main() {
  int *old_values, *values;
  cudaMalloc(&old_values, 4096);
  store<<<1, 32>>>(old_values, 1);
  cudaFree(old_values);
  cudaMalloc(&values, 4096);
#ifdef FIXED
  store<<<1, 32>>>(values, 2);
#else
  store<<<1, 32>>>(old_values, 2);
#endif
  // CHECK: is located 0 bytes inside of 4096-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}after-reallocation.cu:[[#@LINE-9]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}after-reallocation.cu:[[#@LINE-13]]:
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess || values == old_values;
}
