/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// cuFFT, correct.
// FLAGS: -lcufft
#include <cstdio>
#include <cufft.h>
#include <vector>
int main() {
  const int n = 1000;
  std::vector<cufftComplex> host(n);
  for (int i = 0; i < n; i++)
    host[i] = {float(i % 7), 0};
  cufftComplex *data;
  cufftHandle plan;
  cudaMalloc(&data, n * sizeof *data);
  cudaMemcpy(data, host.data(), n * sizeof *data, cudaMemcpyHostToDevice);
  cufftPlan1d(&plan, n, CUFFT_C2C, 1);
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cufftExecC2C(plan, data, data, CUFFT_INVERSE);
  cudaMemcpy(host.data(), data, n * sizeof *data, cudaMemcpyDeviceToHost);
  printf("%.2f %.2f\n", host[3].x / n, host[999].x / n);
  cufftDestroy(plan);
  cudaFree(data);
}
