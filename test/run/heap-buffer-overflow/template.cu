// The report shows the arguments of a kernel template.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
template <typename T, int Step>
__global__ void fill(T *values, int count) {
  int i = threadIdx.x * Step;
#ifdef FIXED
  if (i < count)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: WRITE of size 8 {{.*}} by device thread (8,0,0)
    // CHECK-NEXT: #0 void fill<double, 2>(double*, int) {{.*}}template.cu:[[#@LINE+1]]:
    values[i] = T(i);
}

int main() {
  double *values;
  cudaMalloc(&values, 16 * sizeof(double));
  fill<double, 2><<<1, 9>>>(values, 16);
  // CHECK-NEXT: fill<double, 2>(double*, int)<<<1, 9>>> launched here
  // CHECK: is located 0 bytes after 128-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
