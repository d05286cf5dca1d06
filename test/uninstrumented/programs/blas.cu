/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// cuBLAS, correct.
// FLAGS: -lcublas
#include <cstdio>
#include <cublas_v2.h>
#include <vector>
int main() {
  const int n = 257;
  std::vector<float> host(n * n, 0.5f), result(n * n);
  float *a, *b, *c, one = 1, zero = 0;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cudaMalloc(&a, n * n * sizeof *a);
  cudaMalloc(&b, n * n * sizeof *b);
  cudaMalloc(&c, n * n * sizeof *c);
  cublasSetMatrix(n, n, sizeof *a, host.data(), n, a, n);
  cublasSetMatrix(n, n, sizeof *a, host.data(), n, b, n);
  for (int i = 0; i < 5; i++)
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
  cublasGetMatrix(n, n, sizeof *a, c, n, result.data(), n);
  printf("%g %g\n", result[0], result[n * n - 1]);
  cublasDestroy(handle);
  cudaFree(a), cudaFree(b), cudaFree(c);
}
