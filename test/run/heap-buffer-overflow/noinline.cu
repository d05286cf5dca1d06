// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// An access in a device function that is not inlined. The report has the function's own frame, then the kernel's
// launch.
__device__ __noinline__ void store(int *values, int i) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (10,0,0)
  // CHECK-NEXT: #0 store(int*, int) {{.*}}noinline.cu:[[#@LINE+1]]:
  values[i] = i;
}

__global__ void fill(int *values, int count) {
#ifdef FIXED
  if ((int)threadIdx.x < count)
#endif
    store(values, threadIdx.x);
}

int main() {
  int *values;
  cudaMalloc(&values, 10 * sizeof(int));
  fill<<<1, 11>>>(values, 10);
  // CHECK: fill(int*, int)<<<1, 11>>> launched here by host thread T0:
  // CHECK-NEXT: in main {{.*}}noinline.cu:[[#@LINE-2]]:
  // CHECK: is located 0 bytes after 40-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
