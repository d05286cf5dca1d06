// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The program returns from main right after the launch. The overflow is still reported.
__global__ void fill(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK: #0 fill(int*) {{.*}}at-exit.cu:[[#@LINE+1]]:
  values[threadIdx.x] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 32 * sizeof(int));
#ifdef FIXED
  fill<<<1, 32>>>(values);
#else
  fill<<<1, 33>>>(values);
#endif
}
