// The report is the same at every optimisation level.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 2>&1 | FileCheck %s
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -DFIXED %s -o %t.fixed.O3
// RUN: %run %t.fixed.O3 2>&1 >/dev/null | %silent
__global__ void reverse(const int *in, int *out, int count) {
  int i = threadIdx.x;
#ifdef FIXED
  int from = count - 1 - i;
#else
  int from = count - i;
#endif
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
  // CHECK-NEXT: #0 reverse(int const*, int*, int) {{.*}}optimisation-levels.cu:[[#@LINE+1]]:
  out[i] = in[from];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 50 * sizeof(int));
  cudaMalloc(&out, 50 * sizeof(int));
  cudaMemset(in, 0, 50 * sizeof(int));
  reverse<<<1, 50>>>(in, out, 50);
  // CHECK: in main {{.*}}optimisation-levels.cu:[[#@LINE-1]]:
  // CHECK: is located 0 bytes after 200-byte region
  // CHECK: in main {{.*}}optimisation-levels.cu:[[#@LINE-6]]:
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
