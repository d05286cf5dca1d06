/* 16-bit floating point: fp16 and bf16, one and two to a register. Computed in float, rounded once. */
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

/* The sum is made in double, where it is as good as exact, and rounded once from there. */
#define FMA(variant, last)                                                                                             \
  HELPER half NVVM(fma_rn_##variant##f16)(half a, half b, half c) {                                                    \
    return (half)last((float)(half)((double)(float)a * (float)b + (float)c));                                          \
  }                                                                                                                    \
  HELPER half2 NVVM(fma_rn_##variant##f16x2)(half2 a, half2 b, half2 c) {                                              \
    return (half2){NVVM(fma_rn_##variant##f16)(a.x, b.x, c.x), NVVM(fma_rn_##variant##f16)(a.y, b.y, c.y)};            \
  }
FMA(, identity)
FMA(ftz_, identity)
FMA(sat_, gasan_saturate)
FMA(ftz_sat_, gasan_saturate)
FMA(relu_, relu)
FMA(ftz_relu_, relu)

#define FMA_BFLOAT(variant, last)                                                                                      \
  HELPER bfloat NVVM(fma_rn_##variant##bf16)(bfloat a, bfloat b, bfloat c) {                                           \
    return (bfloat)last((float)(bfloat)((double)(float)a * (float)b + (float)c));                                      \
  }                                                                                                                    \
  HELPER bfloat2 NVVM(fma_rn_##variant##bf16x2)(bfloat2 a, bfloat2 b, bfloat2 c) {                                     \
    return (bfloat2){NVVM(fma_rn_##variant##bf16)(a.x, b.x, c.x), NVVM(fma_rn_##variant##bf16)(a.y, b.y, c.y)};        \
  }
FMA_BFLOAT(, identity)
FMA_BFLOAT(relu_, relu)

float NVVM(fmin_f)(float a, float b);
float NVVM(fmax_f)(float a, float b);
float NVVM(fmin_nan_f)(float a, float b);
float NVVM(fmax_nan_f)(float a, float b);

#define EXTREME(name, scalar, vector, suffix)                                                                          \
  HELPER scalar NVVM(name##_##suffix)(scalar a, scalar b) {                                                            \
    return (scalar)NVVM(name##_f)((float)a, (float)b);                                                                 \
  }                                                                                                                    \
  HELPER vector NVVM(name##_##suffix##x2)(vector a, vector b) {                                                        \
    return (vector){NVVM(name##_##suffix)(a.x, b.x), NVVM(name##_##suffix)(a.y, b.y)};                                 \
  }
EXTREME(fmin, half, half2, f16)
EXTREME(fmax, half, half2, f16)
EXTREME(fmin_nan, half, half2, f16)
EXTREME(fmax_nan, half, half2, f16)
EXTREME(fmin, bfloat, bfloat2, bf16)
EXTREME(fmax, bfloat, bfloat2, bf16)
EXTREME(fmin_nan, bfloat, bfloat2, bf16)
EXTREME(fmax_nan, bfloat, bfloat2, bf16)

static inline HELPER uint16_t bits_of_half(half value) {
  uint16_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline HELPER bfloat bfloat_of_bits(uint16_t bits) {
  bfloat value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

HELPER uint16_t NVVM(f2h_rn)(float a) {
  return bits_of_half((half)a);
}
HELPER uint16_t NVVM(f2h_rn_ftz)(float a) {
  return bits_of_half((half)gasan_flush(a));
}

/* Toward zero: the bits beyond the significand are dropped. */
static inline HELPER half half_toward_zero(float a) {
  half nearest = (half)a;
  if (__builtin_fabsf((float)nearest) > __builtin_fabsf(a)) {
    uint16_t bits = (uint16_t)(bits_of_half(nearest) - 1); /* also from infinity to the largest number */
    if (a - a == 0)
      __builtin_memcpy(&nearest, &bits, sizeof nearest);
  }
  return nearest;
}
static inline HELPER bfloat bfloat_toward_zero(float a) {
  return bfloat_of_bits((uint16_t)((gasan_bits_of_float(a) >> 16) | (a != a ? 0x40 : 0)));
}
static inline HELPER half half_nearest(float a) {
  return (half)a;
}
static inline HELPER bfloat bfloat_nearest(float a) {
  return (bfloat)a;
}

/* The first operand goes to the upper half. */
#define NARROW(scalar, vector, suffix, mode, convert)                                                                  \
  HELPER scalar NVVM(f2##suffix##_##mode)(float a) {                                                                   \
    return convert(a);                                                                                                 \
  }                                                                                                                    \
  HELPER scalar NVVM(f2##suffix##_##mode##_relu)(float a) {                                                            \
    return convert(relu(a));                                                                                           \
  }                                                                                                                    \
  HELPER vector NVVM(ff2##suffix##x2_##mode)(float a, float b) {                                                       \
    return (vector){convert(b), convert(a)};                                                                           \
  }                                                                                                                    \
  HELPER vector NVVM(ff2##suffix##x2_##mode##_relu)(float a, float b) {                                                \
    return (vector){convert(relu(b)), convert(relu(a))};                                                               \
  }
NARROW(half, half2, f16, rn, half_nearest)
NARROW(half, half2, f16, rz, half_toward_zero)
NARROW(bfloat, bfloat2, bf16, rn, bfloat_nearest)
NARROW(bfloat, bfloat2, bf16, rz, bfloat_toward_zero)

HELPER half NVVM(ex2_approx_f16)(half a) {
  return (half)exp2f((float)a);
}
HELPER half2 NVVM(ex2_approx_v2f16)(half2 a) {
  return (half2){NVVM(ex2_approx_f16)(a.x), NVVM(ex2_approx_f16)(a.y)};
}
HELPER half NVVM(fabs_f16)(half a) {
  return (half)__builtin_fabsf((float)a);
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
