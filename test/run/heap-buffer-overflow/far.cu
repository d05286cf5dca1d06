// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Redzones grow with the allocation: an address 100,000 bytes past a 1 MiB buffer is still in the buffer's redzone.
__global__ void store(int *values, int i) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 store(int*, int) {{.*}}far.cu:[[#@LINE+1]]:
  values[i] = 1;
}

int main() {
  const int count = 1 << 18;
  int *values, *neighbour;
  cudaMalloc(&values, count * sizeof(int));
  cudaMalloc(&neighbour, count * sizeof(int));
#ifdef FIXED
  store<<<1, 1>>>(values, count - 1);
#else
  store<<<1, 1>>>(values, count + 25000);
#endif
  // CHECK: is located 100000 bytes after 1048576-byte region
  // CHECK: in main {{.*}}far.cu:[[#@LINE-8]]:
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  cudaFree(neighbour);
  return error != cudaSuccess;
}
