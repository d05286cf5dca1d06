/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements floating-point add, mul, div, fma, sqrt and rcp in all rounding modes, with and without flushing and
 * saturation. */
#include "device/cpu/helpers/rounding.h"

/* Defines an operation in another rounding mode. */
#define ROUNDED_2(name, mode, type, suffix, expression)                                                                \
  OUTLINE type NVVM(name##_##mode##_##suffix)(type a, type b) {                                                        \
    uint32_t before = gasan_set_rounding(ROUND_##mode);                                                                \
    type result;                                                                                                       \
    PIN_VECTOR(a);                                                                                                     \
    PIN_VECTOR(b);                                                                                                     \
    result = expression;                                                                                               \
    PIN_VECTOR(result);                                                                                                \
    _mm_setcsr(before);                                                                                                \
    return result;                                                                                                     \
  }
#define ROUNDED_3(name, mode, type, suffix, expression)                                                                \
  OUTLINE type NVVM(name##_##mode##_##suffix)(type a, type b, type c) {                                                \
    uint32_t before = gasan_set_rounding(ROUND_##mode);                                                                \
    type result;                                                                                                       \
    PIN_VECTOR(a);                                                                                                     \
    PIN_VECTOR(b);                                                                                                     \
    PIN_VECTOR(c);                                                                                                     \
    result = expression;                                                                                               \
    PIN_VECTOR(result);                                                                                                \
    _mm_setcsr(before);                                                                                                \
    return result;                                                                                                     \
  }
#define ROUNDED_1(name, mode, type, suffix, expression)                                                                \
  OUTLINE type NVVM(name##_##mode##_##suffix)(type a) {                                                                \
    uint32_t before = gasan_set_rounding(ROUND_##mode);                                                                \
    type result;                                                                                                       \
    PIN_VECTOR(a);                                                                                                     \
    result = expression;                                                                                               \
    PIN_VECTOR(result);                                                                                                \
    _mm_setcsr(before);                                                                                                \
    return result;                                                                                                     \
  }

/* Threads run in the nearest mode. */
#define NEAREST_2(name, type, suffix, expression)                                                                      \
  HELPER type NVVM(name##_rn_##suffix)(type a, type b) {                                                               \
    return expression;                                                                                                 \
  }
#define NEAREST_3(name, type, suffix, expression)                                                                      \
  HELPER type NVVM(name##_rn_##suffix)(type a, type b, type c) {                                                       \
    return expression;                                                                                                 \
  }
#define NEAREST_1(name, type, suffix, expression)                                                                      \
  HELPER type NVVM(name##_rn_##suffix)(type a) {                                                                       \
    return expression;                                                                                                 \
  }

#define FLUSHED_2(name, mode)                                                                                          \
  HELPER float NVVM(name##_##mode##_ftz_f)(float a, float b) {                                                         \
    return gasan_flush(NVVM(name##_##mode##_f)(gasan_flush(a), gasan_flush(b)));                                       \
  }
#define FLUSHED_3(name, mode)                                                                                          \
  HELPER float NVVM(name##_##mode##_ftz_f)(float a, float b, float c) {                                                \
    return gasan_flush(NVVM(name##_##mode##_f)(gasan_flush(a), gasan_flush(b), gasan_flush(c)));                       \
  }
#define FLUSHED_1(name, mode)                                                                                          \
  HELPER float NVVM(name##_##mode##_ftz_f)(float a) {                                                                  \
    return gasan_flush(NVVM(name##_##mode##_f)(gasan_flush(a)));                                                       \
  }

#define ALL_MODES(n, name, float_expression, double_expression)                                                        \
  NEAREST_##n(name, float, f, float_expression) NEAREST_##n(name, double, d, double_expression)                        \
      ROUNDED_##n(name, rm, float, f, float_expression) ROUNDED_##n(name, rm, double, d, double_expression)            \
          ROUNDED_##n(name, rp, float, f, float_expression) ROUNDED_##n(name, rp, double, d, double_expression)        \
              ROUNDED_##n(name, rz, float, f, float_expression) ROUNDED_##n(name, rz, double, d, double_expression)    \
                  FLUSHED_##n(name, rn) FLUSHED_##n(name, rm) FLUSHED_##n(name, rp) FLUSHED_##n(name, rz)

ALL_MODES(2, add, a + b, a + b)
ALL_MODES(2, sub, a - b, a - b) /* not an intrinsic; for inline PTX */
ALL_MODES(2, mul, a *b, a *b)
ALL_MODES(2, div, a / b, a / b)
ALL_MODES(3, fma, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
ALL_MODES(1, sqrt, __builtin_sqrtf(a), __builtin_sqrt(a))
ALL_MODES(1, rcp, 1.0f / a, 1.0 / a)

#define SATURATED(mode)                                                                                                \
  HELPER float NVVM(add_##mode##_sat_f)(float a, float b) {                                                            \
    return gasan_saturate(NVVM(add_##mode##_f)(a, b));                                                                 \
  }                                                                                                                    \
  HELPER float NVVM(add_##mode##_ftz_sat_f)(float a, float b) {                                                        \
    return gasan_saturate(NVVM(add_##mode##_ftz_f)(a, b));                                                             \
  }                                                                                                                    \
  HELPER float NVVM(fma_##mode##_sat_f)(float a, float b, float c) {                                                   \
    return gasan_saturate(NVVM(fma_##mode##_f)(a, b, c));                                                              \
  }                                                                                                                    \
  HELPER float NVVM(fma_##mode##_ftz_sat_f)(float a, float b, float c) {                                               \
    return gasan_saturate(NVVM(fma_##mode##_ftz_f)(a, b, c));                                                          \
  }
SATURATED(rn)
SATURATED(rm)
SATURATED(rp)
SATURATED(rz)
