/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the reductions of an array library: one kernel for each block size, type and operator. Slow because 45
// small kernels with unrolled loops are compiled one by one.
#include <cuda_runtime.h>

#include <limits>

struct Sum {
  template <typename T>
  static constexpr T kIdentity = T(0);
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Lowest {
  template <typename T>
  static constexpr T kIdentity = std::numeric_limits<T>::max();
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

struct Highest {
  template <typename T>
  static constexpr T kIdentity = std::numeric_limits<T>::lowest();
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

constexpr int kUnroll = 8;

// Writes the reduction of a block's elements to partial[block].
template <int Threads, typename T, typename Operator>
__global__ void __launch_bounds__(Threads) reduce_blocks(const T *elements, size_t count, T *partial) {
  constexpr int Warps = Threads / 32;
  constexpr T identity = Operator::template kIdentity<T>;
  constexpr size_t tile = size_t(Threads) * kUnroll;
  __shared__ T warps[Warps];
  const Operator combine;
  T result = identity;
  for (size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
    T items[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const size_t at = begin + size_t(i) * Threads + threadIdx.x;
      items[i] = at < count ? elements[at] : identity;
    }
#pragma unroll
    for (int i = 0; i < kUnroll; ++i)
      result = combine(result, items[i]);
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    result = combine(result, __shfl_down_sync(~0u, result, distance));
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = result;
  __syncthreads();
  if (threadIdx.x < 32) {
    result = threadIdx.x < Warps ? warps[threadIdx.x] : identity;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      result = combine(result, __shfl_down_sync(~0u, result, distance));
    if (threadIdx.x == 0)
      partial[blockIdx.x] = result;
  }
}

template <typename Operator, typename T>
static cudaError_t reduce(const T *elements, size_t count, T *partial, int blocks, int threads, cudaStream_t stream) {
  if (blocks <= 0)
    return cudaErrorInvalidValue;
  switch (threads) {
#define LAUNCH(THREADS)                                                                                                \
  case THREADS:                                                                                                        \
    reduce_blocks<THREADS, T, Operator><<<blocks, THREADS, 0, stream>>>(elements, count, partial);                     \
    return cudaGetLastError();
    LAUNCH(64)
    LAUNCH(128)
    LAUNCH(256)
    LAUNCH(512)
    LAUNCH(1024)
#undef LAUNCH
  }
  return cudaErrorInvalidValue;
}

#define DEFINE(NAME, T, OPERATOR)                                                                                      \
  cudaError_t NAME(const T *elements, size_t count, T *partial, int blocks, int threads, cudaStream_t stream) {        \
    return reduce<OPERATOR>(elements, count, partial, blocks, threads, stream);                                        \
  }
#define DEFINE_ALL(T) DEFINE(reduce_sum, T, Sum) DEFINE(reduce_lowest, T, Lowest) DEFINE(reduce_highest, T, Highest)
DEFINE_ALL(int)
DEFINE_ALL(float)
DEFINE_ALL(double)
