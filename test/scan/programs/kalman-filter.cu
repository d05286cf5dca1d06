/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A Kalman filter of one series a thread, after HeCBench: several arrays in local memory.
#include <cstdlib>

#ifdef FIXED
constexpr int kShift = 0;
#else
constexpr int kShift = 1;
#endif

template <int rd>
__global__ void filter(const double *RQR, const double *T, const double *P, double *out, int series) {
  double l_RQR[rd * rd], l_T[rd * rd], l_P[rd * rd], l_alpha[rd], l_K[rd], l_tmp[rd];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= series)
    return;
  for (int i = 0; i < rd * rd; i++) {
    l_RQR[i + kShift] = RQR[size_t(id) * rd * rd + i]; // BUG
    l_T[i + kShift] = T[size_t(id) * rd * rd + i];     // BUG
    l_P[i + kShift] = P[size_t(id) * rd * rd + i];     // BUG
  }
  double sum = 0;
  for (int i = 0; i < rd; i++) {
    l_alpha[i + kShift] = 0; // BUG
    l_K[i + kShift] = 1;     // BUG
    l_tmp[i + kShift] = 2;   // BUG
  }
  for (int i = 0; i < rd; i++)
    for (int j = 0; j < rd; j++)
      sum += l_RQR[i * rd + j] * l_T[j * rd + i] * l_P[i * rd + j] + l_alpha[i] * l_K[j] * l_tmp[i];
  out[id] = sum;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const int series = atoi(argv[1]);
  if (series < 1 || series > 1 << 20)
    return 2;
  double *RQR, *T, *P, *out;
  cudaMalloc(&RQR, sizeof(double) * series * 64);
  cudaMalloc(&T, sizeof(double) * series * 64);
  cudaMalloc(&P, sizeof(double) * series * 64);
  cudaMalloc(&out, sizeof(double) * series);
  filter<8><<<(series + 127) / 128, 128>>>(RQR, T, P, out, series);
  cudaDeviceSynchronize();
  for (double *p : {RQR, T, P, out})
    cudaFree(p);
}
