/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements 16-bit floating point: fp16 and bf16, one or two in a register. Computes in float and rounds once. */
#include "device/cpu/helpers/helper.h"
#include <math.h>

typedef _Float16 half;
typedef __bf16 bfloat;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef bfloat bfloat2 __attribute__((ext_vector_type(2)));

static inline HELPER float relu(float value) {
  return value > 0 ? value : (value != value ? value : 0.0f);
}
static inline HELPER float identity(float value) {
  return value;
}

static inline HELPER uint16_t bits_of_half(half value) {
  uint16_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline HELPER half half_of_bits(uint16_t bits) {
  half value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
/* PTX .ftz: a subnormal becomes a zero of the same sign. */
static inline HELPER half flush(half value) {
  uint16_t bits = bits_of_half(value);
  return (bits & 0x7c00) != 0 ? value : half_of_bits(bits & 0x8000);
}
static inline HELPER half keep(half value) {
  return value;
}

/* Returns a * b + c with one rounding. The product is exact in double. If the sum is not exact, its last bit is set
 * ("round to odd"), so that the final rounding is right. */
static inline HELPER double multiply_add(double a, double b, double c) {
  double product = a * b, sum = product + c, rest = sum - product;
  uint64_t bits = gasan_bits_of_double(sum);
  double lost = (product - (sum - rest)) + (c - rest);
  if (!__builtin_isfinite(sum) || lost == 0 || (bits & 1) != 0)
    return sum;
  return gasan_double_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

#define FMA(scalar, vector, suffix, variant, first, last, final)                                                       \
  HELPER scalar NVVM(fma_rn_##variant##suffix)(scalar a, scalar b, scalar c) {                                         \
    return last((scalar) final((float)(scalar)multiply_add((float)first(a), (float)first(b), (float)first(c))));       \
  }                                                                                                                    \
  HELPER vector NVVM(fma_rn_##variant##suffix##x2)(vector a, vector b, vector c) {                                     \
    return (vector){NVVM(fma_rn_##variant##suffix)(a.x, b.x, c.x), NVVM(fma_rn_##variant##suffix)(a.y, b.y, c.y)};     \
  }
FMA(half, half2, f16, , keep, keep, identity)
FMA(half, half2, f16, ftz_, flush, flush, identity)
FMA(half, half2, f16, sat_, keep, keep, gasan_saturate)
FMA(half, half2, f16, ftz_sat_, flush, flush, gasan_saturate)
FMA(half, half2, f16, relu_, keep, keep, relu)
FMA(half, half2, f16, ftz_relu_, flush, flush, relu)
FMA(bfloat, bfloat2, bf16, , , , identity)
FMA(bfloat, bfloat2, bf16, relu_, , , relu)

/* Defines operations for inline PTX, which are not intrinsics. A sum or product in float that is rounded again equals
 * one that is rounded once. */
#define ARITHMETIC(name, operator, variant, first, last, final)                                                        \
  HELPER half NVVM(name##_##variant##f16)(half a, half b) {                                                            \
    return last((half) final((float)(half)((float)first(a) operator(float) first(b))));                                \
  }                                                                                                                    \
  HELPER half2 NVVM(name##_##variant##f16x2)(half2 a, half2 b) {                                                       \
    return (half2){NVVM(name##_##variant##f16)(a.x, b.x), NVVM(name##_##variant##f16)(a.y, b.y)};                      \
  }
#define ARITHMETIC_ALL(name, operator)                                                                                 \
  ARITHMETIC(name, operator, ftz_, flush, flush, identity)                                                             \
  ARITHMETIC(name, operator, sat_, keep, keep, gasan_saturate)                                                         \
  ARITHMETIC(name, operator, ftz_sat_, flush, flush, gasan_saturate)
ARITHMETIC_ALL(add, +)
ARITHMETIC_ALL(sub, -)
ARITHMETIC_ALL(mul, *)

float NVVM(fmin_f)(float a, float b);
float NVVM(fmax_f)(float a, float b);
float NVVM(fmin_nan_f)(float a, float b);
float NVVM(fmax_nan_f)(float a, float b);
float NVVM(fmin_xorsign_abs_f)(float a, float b);
float NVVM(fmax_xorsign_abs_f)(float a, float b);
float NVVM(fmin_nan_xorsign_abs_f)(float a, float b);
float NVVM(fmax_nan_xorsign_abs_f)(float a, float b);

/* Computed by the float function of the same name. .ftz has no effect on bf16, which always supports subnormals. */
#define EXTREME(name, ftz, variant, scalar, vector, suffix, first)                                                     \
  HELPER scalar NVVM(name##ftz##variant##_##suffix)(scalar a, scalar b) {                                              \
    return (scalar)NVVM(name##variant##_f)((float)first(a), (float)first(b));                                          \
  }                                                                                                                    \
  HELPER vector NVVM(name##ftz##variant##_##suffix##x2)(vector a, vector b) {                                          \
    return (vector){NVVM(name##ftz##variant##_##suffix)(a.x, b.x), NVVM(name##ftz##variant##_##suffix)(a.y, b.y)};     \
  }
#define EXTREME_VARIANT(name, variant)                                                                                 \
  EXTREME(name, , variant, half, half2, f16, keep)                                                                     \
  EXTREME(name, _ftz, variant, half, half2, f16, flush)                                                                \
  EXTREME(name, , variant, bfloat, bfloat2, bf16, )                                                                    \
  EXTREME(name, _ftz, variant, bfloat, bfloat2, bf16, )
#define EXTREME_ALL(name)                                                                                              \
  EXTREME_VARIANT(name, )                                                                                              \
  EXTREME_VARIANT(name, _nan)                                                                                          \
  EXTREME_VARIANT(name, _xorsign_abs)                                                                                  \
  EXTREME_VARIANT(name, _nan_xorsign_abs)
EXTREME_ALL(fmin)
EXTREME_ALL(fmax)

HELPER uint16_t NVVM(f2h_rn)(float a) {
  return bits_of_half((half)a);
}
HELPER uint16_t NVVM(f2h_rn_ftz)(float a) {
  return bits_of_half((half)gasan_flush(a));
}

HELPER half NVVM(ex2_approx_f16)(half a) {
  return (half)exp2f((float)a);
}
HELPER half2 NVVM(ex2_approx_v2f16)(half2 a) {
  return (half2){NVVM(ex2_approx_f16)(a.x), NVVM(ex2_approx_f16)(a.y)};
}
HELPER bfloat NVVM(ex2_approx_ftz_bf16)(bfloat a) {
  return (bfloat)exp2f((float)a);
}
HELPER bfloat2 NVVM(ex2_approx_ftz_v2bf16)(bfloat2 a) {
  return (bfloat2){NVVM(ex2_approx_ftz_bf16)(a.x), NVVM(ex2_approx_ftz_bf16)(a.y)};
}
HELPER uint16_t NVVM(bf2h_rn)(bfloat a) {
  return bits_of_half((half)(float)a);
}
HELPER uint16_t NVVM(bf2h_rn_ftz)(bfloat a) {
  return bits_of_half(flush((half)(float)a));
}
HELPER half NVVM(fabs_f16)(half a) {
  return (half)__builtin_fabsf((float)a);
}
HELPER half NVVM(fabs_ftz_f16)(half a) {
  return flush(NVVM(fabs_f16)(a));
}
HELPER half2 NVVM(fabs_ftz_v2f16)(half2 a) {
  return (half2){NVVM(fabs_ftz_f16)(a.x), NVVM(fabs_ftz_f16)(a.y)};
}
HELPER bfloat NVVM(fabs_bf16)(bfloat a) {
  return (bfloat)__builtin_fabsf((float)a);
}
HELPER half2 NVVM(fabs_v2f16)(half2 a) {
  return (half2){NVVM(fabs_f16)(a.x), NVVM(fabs_f16)(a.y)};
}
HELPER bfloat2 NVVM(fabs_v2bf16)(bfloat2 a) {
  return (bfloat2){NVVM(fabs_bf16)(a.x), NVVM(fabs_bf16)(a.y)};
}
HELPER bfloat NVVM(neg_bf16)(bfloat a) {
  return (bfloat) - (float)a;
}
HELPER bfloat2 NVVM(neg_bf16x2)(bfloat2 a) {
  return (bfloat2){NVVM(neg_bf16)(a.x), NVVM(neg_bf16)(a.y)};
}
