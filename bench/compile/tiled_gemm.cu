/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates a GEMM template library with two levels of tiles.
// Four tile shapes, three types and three epilogues give 36 kernels with fully unrolled register tiles.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, __half>, float, T>;

enum class Epilogue { Linear, BiasRelu, BiasSigmoid };

template <Epilogue E, typename A>
__device__ A finish(A scaled, A bias) {
  if constexpr (E == Epilogue::Linear)
    return scaled;
  const A value = scaled + bias;
  return E == Epilogue::BiasSigmoid ? A(1) / (A(1) + exp(-value)) : value > A(0) ? value : A(0);
}

template <int BlockM, int BlockN, int BlockK, int ThreadM, int ThreadN>
struct Shape {
  static constexpr int block_m = BlockM, block_n = BlockN, block_k = BlockK, thread_m = ThreadM, thread_n = ThreadN;
  static constexpr int threads = (BlockM / ThreadM) * (BlockN / ThreadN);
  static_assert(BlockM * BlockK % threads == 0 && BlockN * BlockK % threads == 0, "threads load equal shares");
};

template <typename T>
struct Problem {
  int m, n, k;
  const T *a, *b, *bias; // Row-major m x k, row-major k x n, and n values.
  T *c;                  // Row-major m x n, read and written.
  Accumulator<T> alpha, beta;
};

template <typename S, typename T, Epilogue E>
__global__ void __launch_bounds__(S::threads) gemm_kernel(Problem<T> p) {
  using A = Accumulator<T>;
  constexpr int columns = S::block_n / S::thread_n, rows = S::block_m / S::thread_m;
  // The extra column avoids bank conflicts when threads of one warp store a column of A.
  __shared__ A tile_a[S::block_k][S::block_m + 1], tile_b[S::block_k][S::block_n];
  const int thread = threadIdx.x, row = thread / columns, column = thread % columns;
  const int first_m = blockIdx.y * S::block_m, first_n = blockIdx.x * S::block_n;
  A sum[S::thread_m][S::thread_n] = {};

  for (int first_k = 0; first_k < p.k; first_k += S::block_k) {
    for (int i = 0; i < S::block_m * S::block_k; i += S::threads) {
      const int m = (i + thread) / S::block_k, k = (i + thread) % S::block_k;
      const bool inside = first_m + m < p.m && first_k + k < p.k;
      tile_a[k][m] = inside ? A(p.a[size_t(first_m + m) * p.k + first_k + k]) : A(0);
    }
    for (int i = 0; i < S::block_n * S::block_k; i += S::threads) {
      const int k = (i + thread) / S::block_n, n = (i + thread) % S::block_n;
      const bool inside = first_n + n < p.n && first_k + k < p.k;
      tile_b[k][n] = inside ? A(p.b[size_t(first_k + k) * p.n + first_n + n]) : A(0);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < S::block_k; ++k) {
      A left[S::thread_m], right[S::thread_n];
      for (int i = 0; i < S::thread_m; ++i)
        left[i] = tile_a[k][row + i * rows];
      for (int j = 0; j < S::thread_n; ++j)
        right[j] = tile_b[k][column + j * columns];
      for (int i = 0; i < S::thread_m; ++i)
        for (int j = 0; j < S::thread_n; ++j)
          sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < S::thread_m; ++i)
    for (int j = 0; j < S::thread_n; ++j) {
      const int m = first_m + row + i * rows, n = first_n + column + j * columns;
      if (m >= p.m || n >= p.n)
        continue;
      T &c = p.c[size_t(m) * p.n + n];
      const A scaled = p.alpha * sum[i][j] + (p.beta == A(0) ? A(0) : p.beta * A(c));
      c = T(finish<E>(scaled, p.bias ? A(p.bias[n]) : A(0)));
    }
}

template <typename S, typename T, Epilogue E>
cudaError_t launch(const Problem<T> &p, cudaStream_t stream) {
  const dim3 grid((p.n + S::block_n - 1) / S::block_n, (p.m + S::block_m - 1) / S::block_m);
  gemm_kernel<S, T, E><<<grid, S::threads, 0, stream>>>(p);
  return cudaGetLastError();
}

template <typename T, Epilogue E>
cudaError_t gemm(const Problem<T> &p, cudaStream_t stream) {
  if (p.m <= 0 || p.n <= 0)
    return cudaSuccess;
  if (p.m >= 64 && p.n >= 64)
    return launch<Shape<64, 64, 8, 4, 4>, T, E>(p, stream);
  if (p.m >= 64)
    return launch<Shape<64, 32, 8, 4, 4>, T, E>(p, stream);
  return p.n >= 64 ? launch<Shape<32, 64, 8, 4, 4>, T, E>(p, stream) : launch<Shape<32, 32, 8, 4, 2>, T, E>(p, stream);
}

template <typename T>
cudaError_t gemm_any(Epilogue epilogue, const Problem<T> &p, cudaStream_t stream) {
  return epilogue == Epilogue::Linear     ? gemm<T, Epilogue::Linear>(p, stream)
         : epilogue == Epilogue::BiasRelu ? gemm<T, Epilogue::BiasRelu>(p, stream)
                                          : gemm<T, Epilogue::BiasSigmoid>(p, stream);
}

template cudaError_t gemm_any(Epilogue, const Problem<float> &, cudaStream_t);
template cudaError_t gemm_any(Epilogue, const Problem<double> &, cudaStream_t);
template cudaError_t gemm_any(Epilogue, const Problem<__half> &, cudaStream_t);
