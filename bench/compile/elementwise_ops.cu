/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates the binary elementwise operators of a tensor library.
// One kernel template is instantiated 48 times (12 operators, 4 types), each with an unrolled vector loop.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Arithmetic runs in a wider type, because int could overflow and half would lose precision.
template <typename T>
using ComputeType =
    std::conditional_t<std::is_same_v<T, __half>, float, std::conditional_t<std::is_integral_v<T>, long long, T>>;
template <typename C>
using RealType = std::conditional_t<std::is_integral_v<C>, double, C>;

template <typename C>
__device__ C from_real(RealType<C> value) {
  if constexpr (std::is_integral_v<C>) {
    // A conversion of an out-of-range value or of NaN to an integer is undefined.
    return !(value > -2147483648.0) ? INT32_MIN : value < 2147483647.0 ? static_cast<C>(value) : INT32_MAX;
  } else {
    return value;
  }
}

#define ELEMENTWISE_OPERATOR(NAME, RESULT)                                                                             \
  struct NAME {                                                                                                        \
    template <typename C>                                                                                              \
    static __device__ C apply(C a, C b) {                                                                              \
      [[maybe_unused]] const RealType<C> x = a, y = b;                                                                 \
      return RESULT;                                                                                                   \
    }                                                                                                                  \
  };

ELEMENTWISE_OPERATOR(Add, a + b)
ELEMENTWISE_OPERATOR(Subtract, a - b)
ELEMENTWISE_OPERATOR(Multiply, (a) * (b))
ELEMENTWISE_OPERATOR(Divide, b == C(0) ? C(0) : a / b)
ELEMENTWISE_OPERATOR(Maximum, a < b ? b : a)
ELEMENTWISE_OPERATOR(Minimum, b < a ? b : a)
ELEMENTWISE_OPERATOR(Power, from_real<C>(pow(x, y)))
ELEMENTWISE_OPERATOR(Hypotenuse, from_real<C>(hypot(x, y)))
ELEMENTWISE_OPERATOR(Remainder, from_real<C>(y == 0 ? y : x - y * floor(x / y)))
ELEMENTWISE_OPERATOR(GatedSigmoid, from_real<C>(y / (1 + exp(-x)) * x))
ELEMENTWISE_OPERATOR(GatedTanh, from_real<C>(tanh(x) * y))
ELEMENTWISE_OPERATOR(LogAddExp, from_real<C>(fmax(x, y) + log1p(exp(-fabs(x - y)))))

template <typename T, int Width>
struct alignas(sizeof(T) * Width) Pack {
  T lane[Width];
};

template <typename Op, typename T>
__device__ T apply_scaled(T a, T b, T scale) {
  using C = ComputeType<T>;
  // The product is narrowed first, so that no integer operator sees an operand above 32 bits.
  const T scaled = static_cast<T>(static_cast<C>(b) * static_cast<C>(scale));
  return static_cast<T>(Op::template apply<C>(static_cast<C>(a), static_cast<C>(scaled)));
}

template <typename Op, typename T, int Width>
__global__ void elementwise_kernel(T *out, const T *a, const T *b, T scale, size_t count, bool aligned) {
  using Vector = Pack<T, Width>;
  const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  const size_t vectors = aligned ? count / Width : 0;
  for (size_t i = thread; i < vectors; i += stride) {
    const Vector left = reinterpret_cast<const Vector *>(a)[i], right = reinterpret_cast<const Vector *>(b)[i];
    Vector result;
#pragma unroll
    for (int k = 0; k < Width; ++k)
      result.lane[k] = apply_scaled<Op, T>(left.lane[k], right.lane[k], scale);
    reinterpret_cast<Vector *>(out)[i] = result;
  }
  for (size_t i = vectors * Width + thread; i < count; i += stride)
    out[i] = apply_scaled<Op, T>(a[i], b[i], scale);
}

template <typename Op, typename T>
cudaError_t launch_elementwise(T *out, const T *a, const T *b, T scale, size_t count, cudaStream_t stream) {
  constexpr int width = sizeof(T) == 8 ? 2 : 4;
  if (count == 0)
    return cudaSuccess;
  const auto bits = reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
  const size_t blocks = (count + 256 * width - 1) / (256 * width);
  elementwise_kernel<Op, T, width><<<unsigned(blocks < 4096 ? blocks : 4096), 256, 0, stream>>>(
      out, a, b, scale, count, bits % sizeof(Pack<T, width>) == 0);
  return cudaGetLastError();
}

template <typename T, typename... Ops>
struct OperatorTable {
  using Launch = cudaError_t (*)(T *, const T *, const T *, T, size_t, cudaStream_t);
  static constexpr Launch entries[] = {launch_elementwise<Ops, T>...};
  static constexpr unsigned size = sizeof...(Ops);
};

template <typename T>
cudaError_t run_binary(unsigned op, T *out, const T *a, const T *b, T scale, size_t count, cudaStream_t stream) {
  using Table = OperatorTable<T, Add, Subtract, Multiply, Divide, Maximum, Minimum, Power, Hypotenuse, Remainder,
                              GatedSigmoid, GatedTanh, LogAddExp>;
  return op < Table::size ? Table::entries[op](out, a, b, scale, count, stream) : cudaErrorInvalidValue;
}

template cudaError_t run_binary(unsigned, float *, const float *, const float *, float, size_t, cudaStream_t);
template cudaError_t run_binary(unsigned, double *, const double *, const double *, double, size_t, cudaStream_t);
template cudaError_t run_binary(unsigned, __half *, const __half *, const __half *, __half, size_t, cudaStream_t);
template cudaError_t run_binary(unsigned, int *, const int *, const int *, int, size_t, cudaStream_t);
