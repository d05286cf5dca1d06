// Math functions and bit intrinsics give the right results under gasan.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <cmath>

__global__ void evaluate(const double *in, double *out) {
  double x = in[threadIdx.x];
  float y = (float)x;
  double values[] = {sin(x),
                     cos(x),
                     exp(x),
                     log(x),
                     sqrt(x),
                     pow(x, 1.5),
                     tanh(x),
                     erf(x),
                     cbrt(x),
                     fma(x, x, 1.),
                     floor(x),
                     rint(x),
                     sinf(y),
                     expf(y),
                     logf(y),
                     sqrtf(y),
                     powf(y, 2),
                     rsqrtf(y),
                     fmin(x, 1.),
                     fabs(-x),
                     atan2(x, 2.),
                     hypot(x, 3.),
                     lgamma(x),
                     log1p(x),
                     (double)__popc((int)(x * 1000)),
                     (double)__clz((int)x + 1),
                     (double)__brev((unsigned)x),
                     (double)__ffs((int)(x * 8)),
                     __sinf(y),
                     __expf(y),
                     __fdividef(y, 3),
                     trunc(x)};
  for (int i = 0; i < 32; ++i)
    out[threadIdx.x * 32 + i] = values[i];
}

static bool close(double have, double want, double tolerance) {
  return std::fabs(have - want) <= tolerance * (1 + std::fabs(want));
}

int main() {
  double in[4] = {0.25, 1.0, 2.75, 10.5}, out[4][32];
  double *device_in, *device_out;
  cudaMalloc(&device_in, sizeof in);
  cudaMalloc(&device_out, sizeof out);
  cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
  evaluate<<<1, 4>>>(device_in, device_out);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4; ++i) {
    double x = in[i];
    const double want[] = {sin(x),      cos(x), exp(x),       log(x),        sqrt(x),   pow(x, 1.5),
                           tanh(x),     erf(x), cbrt(x),      fma(x, x, 1.), floor(x),  rint(x),
                           sin(x),      exp(x), log(x),       sqrt(x),       x * x,     1 / sqrt(x),
                           fmin(x, 1.), x,      atan2(x, 2.), hypot(x, 3.),  lgamma(x), log1p(x)};
    for (int k = 0; k < 24; ++k)
      if (!close(out[i][k], want[k], k >= 12 && k < 18 ? 1e-5 : 1e-13))
        return 10 + k;
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit)
      reversed |= ((unsigned)x >> bit & 1) << (31 - bit);
    if (out[i][24] != __builtin_popcount((int)(x * 1000)) || out[i][25] != __builtin_clz((int)x + 1) ||
        out[i][26] != reversed || out[i][27] != __builtin_ffs((int)(x * 8)))
      return 2;
    if (!close(out[i][28], sin(x), 1e-4) || !close(out[i][29], exp(x), 1e-4) || !close(out[i][30], x / 3, 1e-5) ||
        out[i][31] != trunc(x))
      return 3;
  }
  cudaFree(device_in);
  cudaFree(device_out);
}
