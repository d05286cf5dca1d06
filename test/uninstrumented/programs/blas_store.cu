/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// cuBLAS gets a matrix that is too small for its result: the library's kernel stores behind it.
// FLAGS: -lcublas
// BUG: ERROR: AddressSanitizer: (SEGV|heap-buffer-overflow) on cuda device 0
// BUG: (may have run|may have written there)
// BUG: cublas
#include <cstdio>
#include <cublas_v2.h>
int main(int argc, char **argv) {
  const int n = 512, rows = argc > 1 ? n - 128 : n;
  float *a, *b, *c, last, one = 1, zero = 0;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cudaMalloc(&a, n * n * sizeof *a);
  cudaMalloc(&b, n * n * sizeof *b);
  cudaMalloc(&c, rows * n * sizeof *c);
  cudaMemset(a, 0, n * n * sizeof *a);
  cudaMemset(b, 0, n * n * sizeof *b);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  cudaMemcpy(&last, c + rows * n - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%g\n", last);
  cudaFree(a), cudaFree(b), cudaFree(c);
  cublasDestroy(handle);
}
