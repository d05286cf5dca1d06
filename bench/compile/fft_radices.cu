/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates an FFT library: one kernel for each radix, size and type. Slow because the butterflies unroll into large
// straight-line code, and each combination is a kernel of its own.
#include <cuda_runtime.h>

template <typename Real>
struct Complex {
  Real re, im;
  __device__ Complex operator+(Complex b) const { return {re + b.re, im + b.im}; }
  __device__ Complex operator-(Complex b) const { return {re - b.re, im - b.im}; }
  __device__ Complex operator*(Complex b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
};

// Returns exp(-i pi x).
__device__ inline Complex<float> rotation(float x) {
  return {cospif(x), -sinpif(x)};
}
__device__ inline Complex<double> rotation(double x) {
  return {cospi(x), -sinpi(x)};
}

// Transforms Radix values in registers.
template <int Radix, typename Real>
__device__ __forceinline__ void transform(Complex<Real> (&x)[Radix]) {
  if constexpr (Radix > 1) {
    Complex<Real> even[Radix / 2], odd[Radix / 2];
#pragma unroll
    for (int i = 0; i < Radix / 2; ++i) {
      even[i] = x[2 * i];
      odd[i] = x[2 * i + 1];
    }
    transform<Radix / 2>(even);
    transform<Radix / 2>(odd);
#pragma unroll
    for (int i = 0; i < Radix / 2; ++i) {
      const Complex<Real> turned = odd[i] * rotation(Real(2 * i) / Radix);
      x[i] = even[i] + turned;
      x[i + Radix / 2] = even[i] - turned;
    }
  }
}

// Does the passes of Stockham's algorithm that remain after the factor Done. The last pass may have a lower radix.
template <int Radix, int Size, int Done, int Threads, typename Real>
__device__ __forceinline__ void do_passes(Complex<Real> *data) {
  if constexpr (Done < Size) {
    constexpr int R = Size / Done < Radix ? Size / Done : Radix, PerThread = Size / R / Threads;
    Complex<Real> x[PerThread][R];
#pragma unroll
    for (int i = 0; i < PerThread; ++i) {
      const int butterfly = threadIdx.x + i * Threads;
      const Real angle = Real(2 * (butterfly % Done)) / (Done * R);
#pragma unroll
      for (int r = 0; r < R; ++r)
        x[i][r] = data[butterfly + r * (Size / R)] * rotation(r * angle);
      transform<R>(x[i]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PerThread; ++i) {
      const int butterfly = threadIdx.x + i * Threads;
      const int begin = butterfly / Done * Done * R + butterfly % Done;
#pragma unroll
      for (int r = 0; r < R; ++r)
        data[begin + r * Done] = x[i][r];
    }
    __syncthreads();
    do_passes<Radix, Size, Done * R, Threads>(data);
  }
}

// Transforms one signal of Size elements in each block, in place.
template <int Radix, int Size, typename Real>
__global__ void __launch_bounds__(Size / Radix) fft(Complex<Real> *signals) {
  constexpr int Threads = Size / Radix;
  __shared__ Complex<Real> data[Size];
  Complex<Real> *signal = signals + size_t(blockIdx.x) * Size;
  for (int i = threadIdx.x; i < Size; i += Threads)
    data[i] = signal[i];
  __syncthreads();
  do_passes<Radix, Size, 1, Threads>(data);
  for (int i = threadIdx.x; i < Size; i += Threads)
    signal[i] = data[i];
}

template <int Size, typename Real>
static cudaError_t launch(Complex<Real> *signals, int count, int radix, cudaStream_t stream) {
  void (*const kernels[])(Complex<Real> *) = {fft<2, Size>, fft<4, Size>, fft<8, Size>, fft<16, Size>};
  const int log_radix = radix == 2 ? 1 : radix == 4 ? 2 : radix == 8 ? 3 : radix == 16 ? 4 : 0;
  if (log_radix == 0 || count <= 0)
    return cudaErrorInvalidValue;
  kernels[log_radix - 1]<<<count, Size / radix, 0, stream>>>(signals);
  return cudaGetLastError();
}

#define DEFINE(SIZE, REAL)                                                                                             \
  cudaError_t fft_##SIZE(Complex<REAL> *signals, int count, int radix, cudaStream_t stream) {                          \
    return launch<SIZE>(signals, count, radix, stream);                                                                \
  }
DEFINE(256, float) DEFINE(512, float) DEFINE(1024, float) DEFINE(256, double) DEFINE(512, double) DEFINE(1024, double)
