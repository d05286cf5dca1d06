// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %options=cpu_threads=1 %run %t 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:1 not %run %t 2>&1 | FileCheck %s
// RUN: %options=schedule=random:1 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:2 %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=schedule=random:3 %run %t.fixed 2>&1 >/dev/null | %silent
// The first block writes the place that all blocks use. CUDA does not promise that the first block runs first.
__global__ void set_start(int *start) {
  *start = 0;
}

__global__ void fill(int *start, int *out) {
#ifndef FIXED
  if (blockIdx.x == 0)
    *start = 0;
#endif
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{.*}} by device thread (0,0,0) block ({{[1-9][0-9]*}},0,0)
  // CHECK-NEXT: #0 fill(int*, int*) {{.*}}block-order.cu:[[#@LINE+1]]:
  out[*start + blockIdx.x] = 1;
}

int main() {
  int *start, *out;
  cudaMalloc((void **)&start, sizeof *start);
  cudaMalloc((void **)&out, 200 * sizeof *out);
  cudaMemset(start, 0x7f, sizeof *start);
#ifdef FIXED
  set_start<<<1, 1>>>(start);
#endif
  fill<<<200, 1>>>(start, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
