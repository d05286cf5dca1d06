// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The last float4 is half inside and half outside of the 40-byte allocation.
__global__ void clear(float4 *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (2,0,0)
  // CHECK-NEXT: #0 clear(float4*) {{.*}}vector.cu:[[#@LINE+1]]:
  values[threadIdx.x] = make_float4(0, 0, 0, 0);
}

int main() {
  float4 *values;
#ifdef FIXED
  cudaMalloc(&values, 12 * sizeof(float));
#else
  cudaMalloc(&values, 10 * sizeof(float));
#endif
  clear<<<1, 3>>>(values);
  // CHECK: [[FAULT]] is located 0 bytes after 40-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
