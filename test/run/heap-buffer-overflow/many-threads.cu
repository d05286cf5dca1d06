// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A million threads fault at one site. There is one report, of the first thread in grid order, with the right count.
__global__ void fill(int *values, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-SAME: {{^}} (and 1048575 more threads of this kernel)
  // CHECK-NEXT: #0 fill(int*, int) {{.*}}many-threads.cu:[[#@LINE+1]]:
  values[i + offset] = i;
}

int main() {
  const int count = 1 << 20;
  int *values;
  cudaMalloc(&values, count * sizeof(int));
#ifdef FIXED
  fill<<<count / 256, 256>>>(values, 0);
#else
  fill<<<count / 256, 256>>>(values, count);
#endif
  // CHECK: 0 bytes after 4194304-byte region
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow
  // CHECK-NOT: ERROR: AddressSanitizer
  int last = 0;
  cudaMemcpy(&last, values + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return last != count - 1;
}
