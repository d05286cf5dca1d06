/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements approximations, minimum and maximum, and rounding to integral values. libm computes the approximations: a
 * program may rely on an approximation's error bound, but not on its exact error. */
#include "device/cpu/helpers/helper.h"
#include <math.h>

/* name.f and name.ftz.f */
#define UNARY(name, expression)                                                                                        \
  HELPER float NVVM(name##_f)(float a) {                                                                               \
    return expression;                                                                                                 \
  }                                                                                                                    \
  HELPER float NVVM(name##_ftz_f)(float a) {                                                                           \
    return gasan_flush(NVVM(name##_f)(gasan_flush(a)));                                                                \
  }
#define UNARY_DOUBLE(name, expression)                                                                                 \
  HELPER double NVVM(name##_d)(double a) {                                                                             \
    return expression;                                                                                                 \
  }

UNARY(sqrt_approx, __builtin_sqrtf(a))
UNARY(rsqrt_approx, 1.0f / __builtin_sqrtf(a))
UNARY(rcp_approx, 1.0f / a)
UNARY(sin_approx, sinf(a))
UNARY(cos_approx, cosf(a))
UNARY(tanh_approx, tanhf(a))
UNARY(lg2_approx, log2f(a))
UNARY(ex2_approx, exp2f(a))
UNARY(saturate, gasan_saturate(a))
UNARY(floor, __builtin_floorf(a))
UNARY(ceil, __builtin_ceilf(a))
UNARY(trunc, __builtin_truncf(a))
UNARY(round, __builtin_rintf(a))
HELPER float NVVM(sqrt_f)(float a) {
  return __builtin_sqrtf(a);
}

UNARY_DOUBLE(rsqrt_approx, 1.0 / __builtin_sqrt(a))
UNARY_DOUBLE(rsqrt_approx_ftz, 1.0 / __builtin_sqrt(a))
UNARY_DOUBLE(lg2_approx, log2(a))
UNARY_DOUBLE(saturate, a > 0 ? (a < 1 ? a : 1.0) : 0.0)
UNARY_DOUBLE(floor, __builtin_floor(a))
UNARY_DOUBLE(ceil, __builtin_ceil(a))
UNARY_DOUBLE(trunc, __builtin_trunc(a))
UNARY_DOUBLE(round, __builtin_rint(a))
/* PTX computes only the upper word of the result; libdevice refines it. */
static inline HELPER double flush_double(double value) {
  return __builtin_fabs(value) < 0x1p-1022 ? __builtin_copysign(0.0, value) : value;
}
UNARY_DOUBLE(rcp_approx_ftz,
             gasan_double_of_bits(gasan_bits_of_double(flush_double(1.0 / flush_double(a))) & 0xffffffff00000000u))

HELPER float NVVM(ex2_approx_f32)(float a) {
  return exp2f(a);
}
HELPER float NVVM(ex2_approx_ftz_f32)(float a) {
  return gasan_flush(exp2f(gasan_flush(a)));
}
HELPER float NVVM(fabs_f32)(float a) {
  return __builtin_fabsf(a);
}
HELPER float NVVM(fabs_ftz_f32)(float a) {
  return gasan_flush(__builtin_fabsf(a));
}
HELPER double NVVM(fabs_f64)(double a) {
  return __builtin_fabs(a);
}

/* div.approx accepts divisors up to 2^126. The reciprocal of a greater divisor is 0. */
HELPER float NVVM(div_approx_f)(float a, float b) {
  if (__builtin_fabsf(b) > 0x1p126f)
    return a * __builtin_copysignf(0.0f, b);
  return a / b;
}
HELPER float NVVM(div_approx_ftz_f)(float a, float b) {
  return gasan_flush(NVVM(div_approx_f)(gasan_flush(a), gasan_flush(b)));
}
HELPER float NVVM(div_full)(float a, float b) {
  return a / b;
}
HELPER float NVVM(div_full_ftz)(float a, float b) {
  return gasan_flush(gasan_flush(a) / gasan_flush(b));
}

/* Returns the number if one operand is a number and the other NaN. -0 is less than +0. */
static inline HELPER float minimum(float a, float b) {
  if (a == b)
    return gasan_float_of_bits(gasan_bits_of_float(a) | (a == 0 ? gasan_bits_of_float(b) : 0));
  return a < b || b != b ? a : b;
}
static inline HELPER float maximum(float a, float b) {
  if (a == b)
    return a == 0 ? gasan_float_of_bits(gasan_bits_of_float(a) & gasan_bits_of_float(b)) : a;
  return a > b || b != b ? a : b;
}
static inline HELPER float nan_or(float a, float b, float otherwise) {
  return a != a || b != b ? __builtin_nanf("") : otherwise;
}
/* xorsign.abs: the minimum or maximum of the magnitudes, with the sign of the product */
static inline HELPER float with_xor_sign(float a, float b, float magnitude) {
  uint32_t sign = (gasan_bits_of_float(a) ^ gasan_bits_of_float(b)) & 0x80000000u;
  return gasan_float_of_bits((gasan_bits_of_float(magnitude) & 0x7fffffffu) | sign);
}

#define EXTREME(name, function)                                                                                        \
  HELPER float NVVM(name##_f)(float a, float b) {                                                                      \
    return function(a, b);                                                                                             \
  }                                                                                                                    \
  HELPER float NVVM(name##_nan_f)(float a, float b) {                                                                  \
    return nan_or(a, b, function(a, b));                                                                               \
  }                                                                                                                    \
  HELPER float NVVM(name##_xorsign_abs_f)(float a, float b) {                                                          \
    return with_xor_sign(a, b, function(__builtin_fabsf(a), __builtin_fabsf(b)));                                      \
  }                                                                                                                    \
  HELPER float NVVM(name##_nan_xorsign_abs_f)(float a, float b) {                                                      \
    return nan_or(a, b, NVVM(name##_xorsign_abs_f)(a, b));                                                             \
  }                                                                                                                    \
  HELPER float NVVM(name##_ftz_f)(float a, float b) {                                                                  \
    return function(gasan_flush(a), gasan_flush(b));                                                                   \
  }                                                                                                                    \
  HELPER float NVVM(name##_ftz_nan_f)(float a, float b) {                                                              \
    return NVVM(name##_nan_f)(gasan_flush(a), gasan_flush(b));                                                         \
  }                                                                                                                    \
  HELPER float NVVM(name##_ftz_xorsign_abs_f)(float a, float b) {                                                      \
    return NVVM(name##_xorsign_abs_f)(gasan_flush(a), gasan_flush(b));                                                 \
  }                                                                                                                    \
  HELPER float NVVM(name##_ftz_nan_xorsign_abs_f)(float a, float b) {                                                  \
    return NVVM(name##_nan_xorsign_abs_f)(gasan_flush(a), gasan_flush(b));                                             \
  }
EXTREME(fmin, minimum)
EXTREME(fmax, maximum)

HELPER double NVVM(fmin_d)(double a, double b) {
  if (a == b)
    return gasan_double_of_bits(gasan_bits_of_double(a) | (a == 0 ? gasan_bits_of_double(b) : 0));
  return a < b || b != b ? a : b;
}
HELPER double NVVM(fmax_d)(double a, double b) {
  if (a == b)
    return a == 0 ? gasan_double_of_bits(gasan_bits_of_double(a) & gasan_bits_of_double(b)) : a;
  return a > b || b != b ? a : b;
}
