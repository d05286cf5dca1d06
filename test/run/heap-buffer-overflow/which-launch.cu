// Three launches of one kernel with one shape and no wait between them: the report names the faulting launch.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, 0);
#ifdef FIXED
  store<<<1, 1>>>(values, 24);
#else
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK: #0 store(int*, int) {{.*}}which-launch.cu:[[#@LINE-11]]:
  // CHECK: #1 store(int*, int)<<<1, 1>>> launched here by host thread T0:
  // CHECK-NEXT: in main {{.*}}which-launch.cu:[[#@LINE+1]]:
  store<<<1, 1>>>(values, 25);
#endif
  store<<<1, 1>>>(values, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
