/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts between integers and floating point in all rounding modes. Conversions to integers saturate, as in PTX. */
#include "device/cpu/helpers/rounding.h"

/* Converts NaN to 0, or, if source or result has 64 bits, to the top bit alone. */
static inline HELPER uint32_t to_i(double x) {
  return x <= -2147483648.0 ? 0x80000000u : x >= 2147483647.0 ? 0x7fffffffu : (uint32_t)(int32_t)x;
}
static inline HELPER uint32_t to_ui(double x) {
  return !(x > 0) ? 0 : x >= 4294967295.0 ? ~0u : (uint32_t)x;
}
static inline HELPER uint64_t to_ll(double x) {
  if (x <= -9223372036854775808.0)
    return 0x8000000000000000u;
  return x >= 9223372036854775808.0 ? 0x7fffffffffffffffu : (uint64_t)(int64_t)x;
}
static inline HELPER uint64_t to_ull(double x) {
  return !(x > 0) ? 0 : x >= 18446744073709551616.0 ? ~(uint64_t)0 : (uint64_t)x;
}

/* A double represents every float, so both use the same rounding function. */
#define TO_INTEGER(name, type, mode, round, float_nan, double_nan)                                                     \
  HELPER type NVVM(f2##name##_##mode)(float a) {                                                                       \
    return a != a ? float_nan : to_##name(round(a));                                                                   \
  }                                                                                                                    \
  HELPER type NVVM(f2##name##_##mode##_ftz)(float a) {                                                                 \
    return a != a ? float_nan : to_##name(round(gasan_flush(a)));                                                      \
  }                                                                                                                    \
  HELPER type NVVM(d2##name##_##mode)(double a) {                                                                      \
    return a != a ? double_nan : to_##name(round(a));                                                                  \
  }
#define TO_INTEGER_ALL(name, type, float_nan, double_nan)                                                              \
  TO_INTEGER(name, type, rn, __builtin_rint, float_nan, double_nan)                                                    \
  TO_INTEGER(name, type, rz, __builtin_trunc, float_nan, double_nan)                                                   \
  TO_INTEGER(name, type, rm, __builtin_floor, float_nan, double_nan)                                                   \
  TO_INTEGER(name, type, rp, __builtin_ceil, float_nan, double_nan)
TO_INTEGER_ALL(i, uint32_t, 0, 0x80000000u)
TO_INTEGER_ALL(ui, uint32_t, 0, 0x80000000u)
TO_INTEGER_ALL(ll, uint64_t, (uint64_t)1 << 63, (uint64_t)1 << 63)
TO_INTEGER_ALL(ull, uint64_t, (uint64_t)1 << 63, (uint64_t)1 << 63)

/* x86 converts a wide integer to double as a sum of two parts. For 0 that gives -0 when it rounds down. */
#define FROM_INTEGER_MODE(name, source, type, suffix, mode)                                                            \
  OUTLINE type NVVM(name##2##suffix##_##mode)(source a) {                                                              \
    uint32_t before = gasan_set_rounding(ROUND_##mode);                                                                \
    type result;                                                                                                       \
    PIN_INTEGER(a);                                                                                                    \
    result = (type)a;                                                                                                  \
    PIN_VECTOR(result);                                                                                                \
    _mm_setcsr(before);                                                                                                \
    return a == 0 ? 0 : result;                                                                                        \
  }
#define FROM_INTEGER(name, source, type, suffix)                                                                       \
  HELPER type NVVM(name##2##suffix##_rn)(source a) {                                                                   \
    return (type)a;                                                                                                    \
  }                                                                                                                    \
  FROM_INTEGER_MODE(name, source, type, suffix, rm)                                                                    \
  FROM_INTEGER_MODE(name, source, type, suffix, rp)                                                                    \
  FROM_INTEGER_MODE(name, source, type, suffix, rz)
FROM_INTEGER(i, int32_t, float, f)
FROM_INTEGER(i, int32_t, double, d)
FROM_INTEGER(ui, uint32_t, float, f)
FROM_INTEGER(ui, uint32_t, double, d)
FROM_INTEGER(ll, int64_t, float, f)
FROM_INTEGER(ll, int64_t, double, d)
FROM_INTEGER(ull, uint64_t, float, f)
FROM_INTEGER(ull, uint64_t, double, d)

#define NARROW(mode)                                                                                                   \
  OUTLINE float NVVM(d2f_##mode)(double a) {                                                                           \
    uint32_t before = gasan_set_rounding(ROUND_##mode);                                                                \
    float result;                                                                                                      \
    PIN_VECTOR(a);                                                                                                     \
    result = (float)a;                                                                                                 \
    PIN_VECTOR(result);                                                                                                \
    _mm_setcsr(before);                                                                                                \
    return result;                                                                                                     \
  }                                                                                                                    \
  HELPER float NVVM(d2f_##mode##_ftz)(double a) {                                                                      \
    return gasan_flush(NVVM(d2f_##mode)(a));                                                                           \
  }
NARROW(rm)
NARROW(rp)
NARROW(rz)
HELPER float NVVM(d2f_rn)(double a) {
  return (float)a;
}
HELPER float NVVM(d2f_rn_ftz)(double a) {
  return gasan_flush((float)a);
}

HELPER uint32_t NVVM(d2i_hi)(double a) {
  return (uint32_t)(gasan_bits_of_double(a) >> 32);
}
HELPER uint32_t NVVM(d2i_lo)(double a) {
  return (uint32_t)gasan_bits_of_double(a);
}
HELPER double NVVM(lohi_i2d)(uint32_t low, uint32_t high) {
  return gasan_double_of_bits(low | (uint64_t)high << 32);
}
