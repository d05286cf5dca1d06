// A search whose middle is computed down from the greater end: half of the difference, which is below 0, is far away as
// an unsigned number. Both ends are good indices, so the loop's tests alone do not show the error.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <cuda_runtime.h>

__global__ void search(int *out, const unsigned *ends) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned low = ends[0], high = ends[1];
#pragma unroll 1
  while (low < high) {
#ifdef FIXED
    unsigned middle = high - (high - low) / 2 - 1;
#else
    unsigned middle = high + (low - high) / 2;
#endif
    if (values[middle] < 10)
      low = middle + 1;
    else
      high = middle;
  }
  out[threadIdx.x] = low;
}

int main() {
  int *out;
  unsigned *ends;
  const unsigned both[] = {3, 40};
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMalloc(&ends, sizeof both);
  cudaMemcpy(ends, both, sizeof both, cudaMemcpyHostToDevice);
  search<<<1, 64>>>(out, ends);
  cudaDeviceSynchronize();
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: READ of size 4
  // CHECK-NEXT: #0 search(int*, unsigned int const*) {{.*}}search-from-above.cu:21:
  cudaFree(out);
  cudaFree(ends);
}
