/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Filters signals in second-order sections, after HeCBench's sosfilt: three arrays in dynamic shared memory.
#include <cstdlib>

#ifdef FIXED
constexpr int kShift = 0;
#else
constexpr int kShift = 1;
#endif
constexpr int kWidth = 2, kCoefficients = 6;

__global__ void sosfilt(const float *zi, const float *sos, float *out, int sections) {
  extern __shared__ float smem[];
  float *s_out = smem;
  float *s_zi = &s_out[sections];
  float *s_sos = &s_zi[sections * kWidth];
  const int tx = threadIdx.x;
  s_out[tx] = 0;
  for (int i = 0; i < kWidth; i++)
    s_zi[tx * kWidth + i + kShift] = zi[tx * kWidth + i]; // BUG
  for (int i = 0; i < kCoefficients; i++)
    s_sos[tx * kCoefficients + i] = sos[tx * kCoefficients + i];
  __syncthreads();
  for (int i = 0; i < kWidth; i++)
    s_out[tx + kShift] += s_zi[tx * kWidth + i] * s_sos[tx * kCoefficients + i]; // BUG
  out[tx] = s_out[tx];
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const int sections = atoi(argv[1]);
  if (sections < 1 || sections > 512)
    return 2;
  float *zi, *sos, *out;
  cudaMalloc(&zi, sections * kWidth * sizeof(float));
  cudaMalloc(&sos, sections * kCoefficients * sizeof(float));
  cudaMalloc(&out, sections * sizeof(float));
  sosfilt<<<1, sections, sections * (1 + kWidth + kCoefficients) * sizeof(float)>>>(zi, sos, out, sections);
  cudaDeviceSynchronize();
  cudaFree(zi);
  cudaFree(sos);
  cudaFree(out);
}
