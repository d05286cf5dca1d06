// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-pool=handles -o %t.fixed
// RUN: %options=pool=handles %run %t.fixed 2>&1 >/dev/null | %silent
// An access whose last bytes only are outside of the allocation.
__global__ void write(double *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 8
  // CHECK-NEXT: #0 write(double*) {{.*}}straddle.cu:[[#@LINE+1]]:
  values[threadIdx.x] = 1.5;
}

int main() {
  double *values;
#ifdef FIXED
  cudaMalloc(&values, 32 * sizeof(double));
#else
  cudaMalloc(&values, 32 * sizeof(double) - 4);
#endif
  write<<<1, 32>>>(values);
  // CHECK: is located 0 bytes after 252-byte region
  return cudaDeviceSynchronize() != cudaSuccess;
}
