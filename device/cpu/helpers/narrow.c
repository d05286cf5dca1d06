/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts to formats to which x86 does not round: fp16 and bf16 in all rounding modes, tf32 and fp8. The value to
 * convert is a double that rounds like the exact value; it is rounded once. */
#include "device/cpu/helpers/helper.h"

typedef _Float16 half;
typedef __bf16 bfloat;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef bfloat bfloat2 __attribute__((ext_vector_type(2)));

enum rounding { MODE_rn, MODE_rna, MODE_rz, MODE_rm, MODE_rp }; /* rna: ties away from zero */

/* The bits of the significand (with the leading one) and of the exponent; the encodings of the largest finite number,
 * of an overflow or infinity, and of NaN. */
struct format {
  uint32_t significand_bits, exponent_bits, largest, infinity, nan;
};
static const struct format HALF = {11, 5, 0x7bff, 0x7c00, 0x7fff};
static const struct format BFLOAT = {8, 8, 0x7f7f, 0x7f80, 0x7fff};
static const struct format TF32 = {11, 8, 0x3fbff, 0x3fc00, 0x3ffff};
static const struct format E4M3 = {4, 4, 0x7e, 0x7e, 0x7f};
static const struct format E5M2 = {3, 5, 0x7b, 0x7b, 0x7f};

static inline HELPER bool rounds_up(uint64_t kept, uint64_t rest, uint64_t middle, bool negative, enum rounding mode) {
  switch (mode) {
  case MODE_rn:
    return rest > middle || (rest == middle && (kept & 1));
  case MODE_rna:
    return rest >= middle;
  case MODE_rz:
    return false;
  default:
    return rest != 0 && negative == (mode == MODE_rm);
  }
}

/* Returns the encoding of the rounded value. A NaN has no sign. */
static inline HELPER uint32_t round_to(const struct format *format, double value, enum rounding mode) {
  const uint64_t bits = gasan_bits_of_double(value), fraction_mask = ((uint64_t)1 << 52) - 1;
  const bool negative = bits >> 63;
  const int bias = (1 << (format->exponent_bits - 1)) - 1, lowest = 1 - bias;
  int exponent = (int)(bits >> 52 & 2047) - 1023;
  uint64_t significand = (bits & fraction_mask) | (exponent == -1023 ? 0 : fraction_mask + 1);
  uint32_t shift = 53 - format->significand_bits;
  uint64_t kept, result;
  if (value != value)
    return format->nan;
  if (__builtin_isinf(value))
    return format->infinity;
  if (exponent < lowest) {
    shift += (uint32_t)(lowest - exponent);
    exponent = lowest;
  }
  if (shift > 62)
    shift = 62;
  kept = significand >> shift;
  kept += rounds_up(kept, significand & (((uint64_t)1 << shift) - 1), (uint64_t)1 << (shift - 1), negative, mode);
  result = ((uint64_t)(exponent - lowest) << (format->significand_bits - 1)) + kept;
  if (result <= format->largest)
    return (uint32_t)result;
  return mode == MODE_rz || mode == (negative ? MODE_rp : MODE_rm) ? format->largest : format->infinity;
}

static inline HELPER uint32_t with_sign(uint32_t magnitude, double value, uint32_t sign) {
  return value == value && gasan_bits_of_double(value) >> 63 ? magnitude | sign : magnitude;
}
static inline HELPER double relu(double value) {
  return value > 0 || value != value ? value : 0.0;
}
static inline HELPER double identity(double value) {
  return value;
}

static inline HELPER half half_of(double value, enum rounding mode) {
  uint16_t bits = (uint16_t)with_sign(round_to(&HALF, value, mode), value, 0x8000);
  half result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}
static inline HELPER bfloat bfloat_of(double value, enum rounding mode) {
  uint16_t bits = (uint16_t)with_sign(round_to(&BFLOAT, value, mode), value, 0x8000);
  bfloat result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

/* .satfinite: values beyond the largest finite number become that number, in all modes. */
static inline HELPER half half_finite(double value, enum rounding mode) {
  return half_of(value > 65504 ? 65504 : value < -65504 ? -65504 : value, mode);
}
static inline HELPER bfloat bfloat_finite(double value, enum rounding mode) {
  const double largest = 0x1.fep127;
  return bfloat_of(value > largest ? largest : value < -largest ? -largest : value, mode);
}

/* Makes the integer fit in a double. If bits are lost, sets the last bit, so that a later rounding is right. */
static inline HELPER uint64_t gather(uint64_t magnitude) {
  if (magnitude >> 53 == 0)
    return magnitude;
  return (magnitude & ~(uint64_t)0x7ff) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
}
static inline HELPER double exact_ull(uint64_t value) {
  return (double)gather(value);
}
static inline HELPER double exact_ll(int64_t value) {
  return value < 0 ? -(double)gather(-(uint64_t)value) : (double)gather((uint64_t)value);
}

/* PTX cvt.MODE.TO.FROM. `exact` converts the source to double. */
#define CONVERT(to, name, mode, from, source, exact)                                                                   \
  HELPER to NVVM(cvt_##mode##_##name##_##from)(source a) {                                                             \
    return to##_of(exact(a), MODE_##mode);                                                                             \
  }
#define CONVERT_FROM(to, name, mode)                                                                                   \
  CONVERT(to, name, mode, d, double, (double))                                                                         \
  CONVERT(to, name, mode, s8, int8_t, (double))                                                                        \
  CONVERT(to, name, mode, u8, uint8_t, (double))                                                                       \
  CONVERT(to, name, mode, s16, int16_t, (double))                                                                      \
  CONVERT(to, name, mode, u16, uint16_t, (double))                                                                     \
  CONVERT(to, name, mode, s32, int32_t, (double))                                                                      \
  CONVERT(to, name, mode, u32, uint32_t, (double))                                                                     \
  CONVERT(to, name, mode, s64, int64_t, exact_ll)                                                                      \
  CONVERT(to, name, mode, u64, uint64_t, exact_ull)
#define CONVERT_ALL(to, name)                                                                                          \
  CONVERT_FROM(to, name, rn)                                                                                           \
  CONVERT_FROM(to, name, rz)                                                                                           \
  CONVERT_FROM(to, name, rm)                                                                                           \
  CONVERT_FROM(to, name, rp)                                                                                           \
  CONVERT(to, name, rm, f, float, (double))                                                                            \
  CONVERT(to, name, rp, f, float, (double))
CONVERT_ALL(half, f16)
CONVERT_ALL(bfloat, bf16)

/* Converts from float. The processor and the back end round to nearest. The first operand becomes the upper half. */
static inline HELPER half half_rn(double a) {
  return (half)(float)a;
}
static inline HELPER bfloat bfloat_rn(double a) {
  return (bfloat)(float)a;
}
static inline HELPER half half_rz(double a) {
  return half_of(a, MODE_rz);
}
static inline HELPER bfloat bfloat_rz(double a) {
  return bfloat_of(a, MODE_rz);
}
#define FROM_FLOAT(scalar, vector, name, variant, convert, first)                                                      \
  HELPER scalar NVVM(f2##name##_##variant)(float a) {                                                                  \
    return convert(first(a));                                                                                          \
  }                                                                                                                    \
  HELPER vector NVVM(ff2##name##x2_##variant)(float a, float b) {                                                      \
    return (vector){convert(first(b)), convert(first(a))};                                                             \
  }
#define FROM_FLOAT_MODE(scalar, vector, name, mode)                                                                    \
  static inline HELPER scalar scalar##_##mode##_finite(double a) {                                                     \
    return scalar##_finite(a, MODE_##mode);                                                                            \
  }                                                                                                                    \
  FROM_FLOAT(scalar, vector, name, mode, scalar##_##mode, identity)                                                    \
  FROM_FLOAT(scalar, vector, name, mode##_relu, scalar##_##mode, relu)                                                 \
  FROM_FLOAT(scalar, vector, name, mode##_satfinite, scalar##_##mode##_finite, identity)                               \
  FROM_FLOAT(scalar, vector, name, mode##_relu_satfinite, scalar##_##mode##_finite, relu)
FROM_FLOAT_MODE(half, half2, f16, rn)
FROM_FLOAT_MODE(half, half2, f16, rz)
FROM_FLOAT_MODE(bfloat, bfloat2, bf16, rn)
FROM_FLOAT_MODE(bfloat, bfloat2, bf16, rz)

/* tf32 is the upper 19 bits of a float. */
static inline HELPER uint32_t tf32_of(double value, enum rounding mode, bool finite) {
  uint32_t magnitude = round_to(&TF32, value, mode);
  if (finite && value == value && magnitude > TF32.largest)
    magnitude = TF32.largest;
  return value != value ? 0x7fffffffu : with_sign(magnitude << 13, value, 0x80000000u);
}
#define TO_TF32(mode)                                                                                                  \
  HELPER uint32_t NVVM(f2tf32_##mode)(float a) {                                                                       \
    return tf32_of(a, MODE_##mode, false);                                                                             \
  }                                                                                                                    \
  HELPER uint32_t NVVM(f2tf32_##mode##_relu)(float a) {                                                                \
    return tf32_of(relu(a), MODE_##mode, false);                                                                       \
  }                                                                                                                    \
  HELPER uint32_t NVVM(f2tf32_##mode##_satfinite)(float a) {                                                           \
    return tf32_of(a, MODE_##mode, true);                                                                              \
  }                                                                                                                    \
  HELPER uint32_t NVVM(f2tf32_##mode##_relu_satfinite)(float a) {                                                      \
    return tf32_of(relu(a), MODE_##mode, true);                                                                        \
  }                                                                                                                    \
  HELPER uint32_t NVVM(cvt_##mode##_tf32_f)(float a) {                                                                 \
    return tf32_of(a, MODE_##mode, false);                                                                             \
  }
TO_TF32(rn)
TO_TF32(rna)
TO_TF32(rz)

/* fp8, two in a register. All of PTX's conversions to it saturate. */
static inline HELPER uint16_t fp8_pair(const struct format *format, double upper, double lower) {
  uint32_t high = with_sign(round_to(format, upper, MODE_rn), upper, 0x80);
  uint32_t low = with_sign(round_to(format, lower, MODE_rn), lower, 0x80);
  return (uint16_t)(high << 8 | low);
}
/* Exact: e5m2 is the upper byte of a half, and e4m3 has the bias 7 instead of 15. */
static inline HELPER half half_of_e5m2(uint8_t bits) {
  uint16_t wide = (uint16_t)(bits << 8);
  half result;
  __builtin_memcpy(&result, &wide, sizeof result);
  return result;
}
static inline HELPER half half_of_e4m3(uint8_t bits) {
  uint16_t wide = (uint16_t)((bits & 0x80) << 8 | (bits & 0x7f) << 7);
  half result;
  if ((bits & 0x7f) == 0x7f)
    return (half)__builtin_nanf("");
  __builtin_memcpy(&result, &wide, sizeof result);
  return (half)((float)result * 256.0f);
}
#define FP8(name, format, first, variant)                                                                              \
  HELPER uint16_t NVVM(ff_to_##name##x2_rn##variant)(float a, float b) {                                               \
    return fp8_pair(&format, first(a), first(b));                                                                      \
  }                                                                                                                    \
  HELPER uint16_t NVVM(f16x2_to_##name##x2_rn##variant)(half2 a) {                                                     \
    return fp8_pair(&format, first((double)(float)a.y), first((double)(float)a.x));                                    \
  }                                                                                                                    \
  HELPER half2 NVVM(name##x2_to_f16x2_rn##variant)(uint16_t a) {                                                       \
    return (half2){(half)(float)first((double)(float)half_of_##name((uint8_t)a)),                                      \
                   (half)(float)first((double)(float)half_of_##name((uint8_t)(a >> 8)))};                              \
  }                                                                                                                    \
  HELPER uint16_t NVVM(cvt_rn_satfinite##variant##_##name##x2_f)(float a, float b) {                                   \
    return fp8_pair(&format, first(a), first(b));                                                                      \
  }                                                                                                                    \
  HELPER uint16_t NVVM(cvt_rn_satfinite##variant##_##name##x2_f16x2)(half2 a) {                                        \
    return NVVM(f16x2_to_##name##x2_rn##variant)(a);                                                                   \
  }                                                                                                                    \
  HELPER half2 NVVM(cvt_rn##variant##_f16x2_##name##x2)(uint16_t a) {                                                  \
    return NVVM(name##x2_to_f16x2_rn##variant)(a);                                                                     \
  }
FP8(e4m3, E4M3, identity, )
FP8(e4m3, E4M3, relu, _relu)
FP8(e5m2, E5M2, identity, )
FP8(e5m2, E5M2, relu, _relu)
