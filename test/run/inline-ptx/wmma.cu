// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t.fixed 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN: launch proof: 1 of 1 launches proven, by 1 evaluations; 1 of 1 kernels in every launch
// A matrix whose last tile has one row less than the tensor core loads.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void product(const half *a, float *result, int stride) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(right, __float2half(1.0f));
  wmma::fill_fragment(sum, 0.0f);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 32 at [[FAULT]] by device thread (15,0,0)
  // CHECK: #1 product(__half const*, float*, int) {{.*}}wmma.cu:[[#@LINE+1]]:
  wmma::load_matrix_sync(left, a, stride);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(result, sum, 16, wmma::mem_row_major);
}

int main() {
  const int stride = 24;
  half *a;
  float *result;
#ifdef FIXED
  const int count = 15 * stride + 16;
#else
  const int count = 15 * stride;
#endif
  cudaMalloc(&a, count * sizeof(half));
  cudaMalloc(&result, 256 * sizeof(float));
  cudaMemset(a, 0, count * sizeof(half));
  product<<<1, 32>>>(a, result, stride);
  // CHECK: [[FAULT]] is located 0 bytes after 720-byte region
  return cudaDeviceSynchronize() != cudaSuccess;
}
