/* The helpers of the CPU device for floating point, as linked into every image, against straightforward references. */
#include <fenv.h>
#include <greatest.h>

#include "cpu_helpers.h"

GREATEST_MAIN_DEFS();

/* Arithmetic in the four modes: the C library's way to set the mode. */
#define DECLARE_MODES(m, ret, name, suffix, parameters)                                                                \
  m(ret, name, rn, FE_TONEAREST, suffix, parameters) m(ret, name, rz, FE_TOWARDZERO, suffix, parameters)               \
      m(ret, name, rm, FE_DOWNWARD, suffix, parameters) m(ret, name, rp, FE_UPWARD, suffix, parameters)
#define DECLARE(ret, name, mode, fe, suffix, parameters) ret NVVM(name##_##mode##_##suffix) parameters;
#define DECLARE_FLOAT(name, parameters, parameters_double)                                                             \
  DECLARE_MODES(DECLARE, float, name, f, parameters)                                                                   \
  DECLARE_MODES(DECLARE, float, name, ftz_f, parameters)                                                               \
  DECLARE_MODES(DECLARE, double, name, d, parameters_double)
DECLARE_FLOAT(add, (float, float), (double, double))
DECLARE_FLOAT(sub, (float, float), (double, double))
DECLARE_FLOAT(mul, (float, float), (double, double))
DECLARE_FLOAT(div, (float, float), (double, double))
DECLARE_FLOAT(fma, (float, float, float), (double, double, double))
DECLARE_FLOAT(sqrt, (float), (double))
DECLARE_FLOAT(rcp, (float), (double))
DECLARE_MODES(DECLARE, float, add, sat_f, (float, float))
DECLARE_MODES(DECLARE, float, fma, ftz_sat_f, (float, float, float))

#define CHECK_MODE(mode, fe)                                                                                           \
  do {                                                                                                                 \
    volatile float a = random_float(), b = random_float(), c = random_float();                                         \
    volatile float fa = flushed(a), fb = flushed(b), fc = flushed(c);                                                  \
    volatile double x = random_double(), y = random_double(), z = random_double();                                     \
    volatile float f[16];                                                                                              \
    volatile double d[8];                                                                                              \
    fesetround(fe);                                                                                                    \
    f[0] = a + b, f[1] = a - b, f[2] = a * b, f[3] = a / b, f[4] = fmaf(a, b, c), f[5] = sqrtf(a), f[6] = 1 / a;       \
    f[8] = fa + fb, f[9] = fa - fb, f[10] = fa * fb, f[11] = fa / fb, f[12] = fmaf(fa, fb, fc), f[13] = sqrtf(fa);     \
    d[0] = x + y, d[1] = x - y, d[2] = x * y, d[3] = x / y, d[4] = fma(x, y, z), d[5] = sqrt(x), d[6] = 1 / x;         \
    fesetround(FE_TONEAREST);                                                                                          \
    ASSERT(same_float(NVVM(add_##mode##_f)(a, b), f[0]) && same_float(NVVM(sub_##mode##_f)(a, b), f[1]));              \
    ASSERT(same_float(NVVM(mul_##mode##_f)(a, b), f[2]) && same_float(NVVM(div_##mode##_f)(a, b), f[3]));              \
    ASSERT(same_float(NVVM(fma_##mode##_f)(a, b, c), f[4]));                                                           \
    ASSERT(same_float(NVVM(sqrt_##mode##_f)(a), f[5]) && same_float(NVVM(rcp_##mode##_f)(a), f[6]));                   \
    ASSERT(same_double(NVVM(add_##mode##_d)(x, y), d[0]) && same_double(NVVM(sub_##mode##_d)(x, y), d[1]));            \
    ASSERT(same_double(NVVM(mul_##mode##_d)(x, y), d[2]) && same_double(NVVM(div_##mode##_d)(x, y), d[3]));            \
    ASSERT(same_double(NVVM(fma_##mode##_d)(x, y, z), d[4]));                                                          \
    ASSERT(same_double(NVVM(sqrt_##mode##_d)(x), d[5]) && same_double(NVVM(rcp_##mode##_d)(x), d[6]));                 \
    ASSERT(same_float(NVVM(add_##mode##_ftz_f)(a, b), flushed(f[8])));                                                 \
    ASSERT(same_float(NVVM(sub_##mode##_ftz_f)(a, b), flushed(f[9])));                                                 \
    ASSERT(same_float(NVVM(mul_##mode##_ftz_f)(a, b), flushed(f[10])));                                                \
    ASSERT(same_float(NVVM(div_##mode##_ftz_f)(a, b), flushed(f[11])));                                                \
    ASSERT(same_float(NVVM(fma_##mode##_ftz_f)(a, b, c), flushed(f[12])));                                             \
    ASSERT(same_float(NVVM(sqrt_##mode##_ftz_f)(a), flushed(f[13])));                                                  \
    ASSERT(same_float(NVVM(add_##mode##_sat_f)(a, b), saturated(f[0])));                                               \
    ASSERT(same_float(NVVM(fma_##mode##_ftz_sat_f)(a, b, c), saturated(flushed(f[12]))));                              \
  } while (0)

TEST rounded_arithmetic(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    CHECK_MODE(rn, FE_TONEAREST);
    CHECK_MODE(rz, FE_TOWARDZERO);
    CHECK_MODE(rm, FE_DOWNWARD);
    CHECK_MODE(rp, FE_UPWARD);
  }
  PASS();
}

/* Floating point to integer: rounds, then saturates. NaN is 0, or the top bit where a side has 64 bits. */
static long double rounded(double value, int mode) {
  return mode == FE_TONEAREST    ? (long double)rint(value)
         : mode == FE_TOWARDZERO ? (long double)trunc(value)
         : mode == FE_DOWNWARD   ? (long double)floor(value)
                                 : (long double)ceil(value);
}
static uint64_t to_integer(double value, int mode, int bits, bool is_signed, bool from_double) {
  uint64_t top = (uint64_t)1 << (bits - 1);
  long double lowest = is_signed ? -(long double)top : 0,
              highest = is_signed ? (long double)top - 1 : (long double)top * 2 - 1;
  long double integral;
  uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
  if (value != value)
    return bits == 64 || from_double ? top : 0;
  integral = fminl(fmaxl(rounded(value, mode), lowest), highest);
  return (integral < 0 ? -(uint64_t)-integral : (uint64_t)integral) & mask;
}

#define DECLARE_TO(name, type)                                                                                         \
  DECLARE_TO_MODE(name, type, rn)                                                                                      \
  DECLARE_TO_MODE(name, type, rz) DECLARE_TO_MODE(name, type, rm) DECLARE_TO_MODE(name, type, rp)
#define DECLARE_TO_MODE(name, type, mode)                                                                              \
  type NVVM(f2##name##_##mode)(float);                                                                                 \
  type NVVM(f2##name##_##mode##_ftz)(float);                                                                           \
  type NVVM(d2##name##_##mode)(double);
DECLARE_TO(i, uint32_t)
DECLARE_TO(ui, uint32_t)
DECLARE_TO(ll, uint64_t)
DECLARE_TO(ull, uint64_t)
#define CHECK_TO(name, bits, is_signed, mode, fe)                                                                      \
  ASSERT_EQ_FMT(to_integer(a, fe, bits, is_signed, false), (uint64_t)NVVM(f2##name##_##mode)(a), "%lx");               \
  ASSERT_EQ_FMT(to_integer(flushed(a), fe, bits, is_signed, false), (uint64_t)NVVM(f2##name##_##mode##_ftz)(a),        \
                "%lx");                                                                                                \
  ASSERT_EQ_FMT(to_integer(x, fe, bits, is_signed, true), (uint64_t)NVVM(d2##name##_##mode)(x), "%lx")
#define CHECK_TO_ALL(mode, fe)                                                                                         \
  CHECK_TO(i, 32, true, mode, fe);                                                                                     \
  CHECK_TO(ui, 32, false, mode, fe);                                                                                   \
  CHECK_TO(ll, 64, true, mode, fe);                                                                                    \
  CHECK_TO(ull, 64, false, mode, fe)

TEST to_integers(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    float a = random_float();
    double x = random_double();
    CHECK_TO_ALL(rn, FE_TONEAREST);
    CHECK_TO_ALL(rz, FE_TOWARDZERO);
    CHECK_TO_ALL(rm, FE_DOWNWARD);
    CHECK_TO_ALL(rp, FE_UPWARD);
  }
  PASS();
}

/* Integers to floating point, and double to float. A long double holds all of them. */
static float narrowed_float(long double value, int mode) {
  float nearest = (float)value;
  if ((mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && value > 0)) && nearest > value)
    return nextafterf(nearest, -INFINITY);
  if ((mode == FE_UPWARD || (mode == FE_TOWARDZERO && value < 0)) && nearest < value)
    return nextafterf(nearest, INFINITY);
  return nearest;
}
static double narrowed_double(long double value, int mode) {
  double nearest = (double)value;
  if ((mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && value > 0)) && nearest > value)
    return nextafter(nearest, -(double)INFINITY);
  if ((mode == FE_UPWARD || (mode == FE_TOWARDZERO && value < 0)) && nearest < value)
    return nextafter(nearest, (double)INFINITY);
  return nearest;
}
#define DECLARE_FROM_MODE(mode)                                                                                        \
  float NVVM(i2f_##mode)(int32_t), NVVM(ui2f_##mode)(uint32_t), NVVM(ll2f_##mode)(int64_t);                            \
  float NVVM(ull2f_##mode)(uint64_t), NVVM(d2f_##mode)(double), NVVM(d2f_##mode##_ftz)(double);                        \
  double NVVM(i2d_##mode)(int32_t), NVVM(ui2d_##mode)(uint32_t), NVVM(ll2d_##mode)(int64_t);                           \
  double NVVM(ull2d_##mode)(uint64_t);
DECLARE_FROM_MODE(rn)
DECLARE_FROM_MODE(rz)
DECLARE_FROM_MODE(rm)
DECLARE_FROM_MODE(rp)
#define CHECK_FROM(mode, fe)                                                                                           \
  ASSERT(same_float(NVVM(i2f_##mode)((int32_t)n), narrowed_float((int32_t)n, fe)));                                    \
  ASSERT(same_float(NVVM(ui2f_##mode)((uint32_t)n), narrowed_float((uint32_t)n, fe)));                                 \
  ASSERT(same_float(NVVM(ll2f_##mode)((int64_t)n), narrowed_float((int64_t)n, fe)));                                   \
  ASSERT(same_float(NVVM(ull2f_##mode)(n), narrowed_float(n, fe)));                                                    \
  ASSERT(same_double(NVVM(i2d_##mode)((int32_t)n), (int32_t)n));                                                       \
  ASSERT(same_double(NVVM(ui2d_##mode)((uint32_t)n), (uint32_t)n));                                                    \
  ASSERT(same_double(NVVM(ll2d_##mode)((int64_t)n), narrowed_double((int64_t)n, fe)));                                 \
  ASSERT(same_double(NVVM(ull2d_##mode)(n), narrowed_double(n, fe)));                                                  \
  ASSERT(same_float(NVVM(d2f_##mode)(x), x - x == 0 ? narrowed_float(x, fe) : (float)x));                              \
  ASSERT(same_float(NVVM(d2f_##mode##_ftz)(x), flushed(x - x == 0 ? narrowed_float(x, fe) : (float)x)))

TEST from_integers(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    uint64_t n = i < 64 ? (uint64_t)1 << i : i == 64 ? 0 : random_bits() >> (random_bits() & 63);
    double x = random_double();
    CHECK_FROM(rn, FE_TONEAREST);
    CHECK_FROM(rz, FE_TOWARDZERO);
    CHECK_FROM(rm, FE_DOWNWARD);
    CHECK_FROM(rp, FE_UPWARD);
  }
  PASS();
}

/* A small format's finite magnitudes in order; rounding picks one of the two neighbours. */
struct table {
  double magnitudes[32768];
  int count; /* after the last one: the result of an overflow */
};
static struct table halves, bfloats, e4m3, e5m2;

static void fill_tables(void) {
  for (int i = 0; i < 0x7c00; ++i)
    halves.magnitudes[halves.count++] = (double)(float)half_of((uint16_t)i);
  for (int i = 0; i < 0x7f80; ++i)
    bfloats.magnitudes[bfloats.count++] = (double)(float)bfloat_of((uint16_t)i);
  for (int i = 0; i < 0x7f; ++i)
    e4m3.magnitudes[e4m3.count++] = i < 8 ? i * 0x1p-9 : ldexp(8 + (i & 7), (i >> 3) - 10);
  for (int i = 0; i < 0x7c; ++i)
    e5m2.magnitudes[e5m2.count++] = i < 4 ? i * 0x1p-16 : ldexp(4 + (i & 3), (i >> 2) - 17);
}

/* The index of `value`'s magnitude; `count` for an overflow. */
static int nearest_index(const struct table *table, long double value, int mode) {
  long double magnitude = fabsl(value), step, above;
  int low = 0, high = table->count - 1;
  bool away = mode == FE_UPWARD ? value > 0 : mode == FE_DOWNWARD && value < 0;
  while (low < high) { /* the last that is not larger */
    int middle = (low + high + 1) / 2;
    if (table->magnitudes[middle] <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (table->magnitudes[low] == magnitude)
    return low;
  step = low + 1 < table->count ? table->magnitudes[low + 1] - (long double)table->magnitudes[low]
                                : table->magnitudes[low] - (long double)table->magnitudes[low - 1];
  above = magnitude - table->magnitudes[low];
  if (mode == FE_TONEAREST)
    return above > step / 2 || (above == step / 2 && (low & 1)) ? low + 1 : low;
  return mode == FE_TOWARDZERO || !away ? low : low + 1;
}
static uint16_t narrowed(const struct table *table, long double value, int mode) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  if (value != value)
    return 0x7fff;
  return sign | (uint16_t)(value - value != 0 ? table->count : nearest_index(table, value, mode));
}
static uint16_t made_finite(const struct table *table, uint16_t bits) {
  return (bits & 0x7fff) == table->count ? bits - 1 : bits;
}
static bool same_bits(uint16_t have, uint16_t want, const struct table *table) {
  return have == want || ((have & 0x7fff) > table->count && (want & 0x7fff) > table->count);
}

#define DECLARE_NARROW_MODE(type, name, mode)                                                                          \
  type NVVM(cvt_##mode##_##name##_d)(double), NVVM(cvt_##mode##_##name##_s16)(int16_t);                                \
  type NVVM(cvt_##mode##_##name##_u32)(uint32_t), NVVM(cvt_##mode##_##name##_s64)(int64_t);                            \
  type NVVM(cvt_##mode##_##name##_u64)(uint64_t);
#define DECLARE_NARROW(type, pair, name)                                                                               \
  DECLARE_NARROW_MODE(type, name, rn)                                                                                  \
  DECLARE_NARROW_MODE(type, name, rz)                                                                                  \
  DECLARE_NARROW_MODE(type, name, rm)                                                                                  \
  DECLARE_NARROW_MODE(type, name, rp)                                                                                  \
  type NVVM(f2##name##_rn)(float), NVVM(f2##name##_rz)(float), NVVM(f2##name##_rn_relu)(float);                        \
  type NVVM(f2##name##_rn_satfinite)(float), NVVM(f2##name##_rz_relu_satfinite)(float);                                \
  type NVVM(cvt_rm_##name##_f)(float), NVVM(cvt_rp_##name##_f)(float);                                                 \
  pair NVVM(ff2##name##x2_rn)(float, float), NVVM(ff2##name##x2_rz)(float, float);
DECLARE_NARROW(half, half2, f16)
DECLARE_NARROW(bfloat, bfloat2, bf16)

#define CHECK_NARROW_MODE(name, table, bits, mode, fe)                                                                 \
  ASSERT(same_bits(bits(NVVM(cvt_##mode##_##name##_d)(x)), narrowed(&table, x, fe), &table));                          \
  ASSERT(same_bits(bits(NVVM(cvt_##mode##_##name##_s16)((int16_t)n)), narrowed(&table, (int16_t)n, fe), &table));      \
  ASSERT(same_bits(bits(NVVM(cvt_##mode##_##name##_u32)((uint32_t)n)), narrowed(&table, (uint32_t)n, fe), &table));    \
  ASSERT(same_bits(bits(NVVM(cvt_##mode##_##name##_s64)((int64_t)n)), narrowed(&table, (int64_t)n, fe), &table));      \
  ASSERT(same_bits(bits(NVVM(cvt_##mode##_##name##_u64)(n)), narrowed(&table, n, fe), &table))
#define CHECK_NARROW(name, table, bits)                                                                                \
  do {                                                                                                                 \
    float positive = a < 0 ? 0 : a;                                                                                    \
    uint16_t rn = narrowed(&table, a, FE_TONEAREST), rz = narrowed(&table, a, FE_TOWARDZERO);                          \
    CHECK_NARROW_MODE(name, table, bits, rn, FE_TONEAREST);                                                            \
    CHECK_NARROW_MODE(name, table, bits, rz, FE_TOWARDZERO);                                                           \
    CHECK_NARROW_MODE(name, table, bits, rm, FE_DOWNWARD);                                                             \
    CHECK_NARROW_MODE(name, table, bits, rp, FE_UPWARD);                                                               \
    ASSERT(same_bits(bits(NVVM(f2##name##_rn)(a)), rn, &table));                                                       \
    ASSERT(same_bits(bits(NVVM(f2##name##_rz)(a)), rz, &table));                                                       \
    ASSERT(same_bits(bits(NVVM(cvt_rm_##name##_f)(a)), narrowed(&table, a, FE_DOWNWARD), &table));                     \
    ASSERT(same_bits(bits(NVVM(cvt_rp_##name##_f)(a)), narrowed(&table, a, FE_UPWARD), &table));                       \
    ASSERT(same_bits(bits(NVVM(f2##name##_rn_satfinite)(a)), made_finite(&table, rn), &table));                        \
    ASSERT(same_bits(bits(NVVM(f2##name##_rn_relu)(a)), signbit(a) && a == a ? 0 : rn, &table));                       \
    ASSERT(same_bits(bits(NVVM(f2##name##_rz_relu_satfinite)(a)),                                                      \
                     made_finite(&table, narrowed(&table, signbit(a) ? positive + 0.0f : a, FE_TOWARDZERO)),           \
                     &table) ||                                                                                        \
           a == 0);                                                                                                    \
    ASSERT(same_bits(bits(NVVM(ff2##name##x2_rn)(1.0f, a).x), rn, &table)); /* operand 2: low bits */                  \
    ASSERT(same_bits(bits(NVVM(ff2##name##x2_rz)(a, 1.0f).y), rz, &table));                                            \
  } while (0)

TEST narrow_formats(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    float a = random_float();
    double x = random_double();
    uint64_t n = random_bits() >> (random_bits() & 63);
    CHECK_NARROW(f16, halves, bits_of_half);
    CHECK_NARROW(bf16, bfloats, bits_of_bfloat);
  }
  /* ties, and bits of a wide integer below a tie */
  ASSERT_EQ(0x6800, bits_of_half(NVVM(cvt_rn_f16_u32)(2049)));
  ASSERT_EQ(0x6801, bits_of_half(NVVM(cvt_rp_f16_u32)(2049)));
  ASSERT_EQ(0x5e80 + 1, bits_of_bfloat(NVVM(cvt_rn_bf16_u64)(((uint64_t)1 << 62) + ((uint64_t)1 << 54) + 1)));
  ASSERT_EQ(0x5e80, bits_of_bfloat(NVVM(cvt_rn_bf16_u64)(((uint64_t)1 << 62) + ((uint64_t)1 << 54))));
  PASS();
}

uint32_t NVVM(f2tf32_rn)(float), NVVM(f2tf32_rna)(float), NVVM(f2tf32_rz)(float), NVVM(f2tf32_rna_satfinite)(float);
uint16_t NVVM(ff_to_e4m3x2_rn)(float, float), NVVM(ff_to_e5m2x2_rn)(float, float),
    NVVM(ff_to_e4m3x2_rn_relu)(float, float);
uint16_t NVVM(f16x2_to_e5m2x2_rn)(half2);
half2 NVVM(e4m3x2_to_f16x2_rn)(uint16_t), NVVM(e5m2x2_to_f16x2_rn)(uint16_t);

static uint8_t fp8(const struct table *table, float value) {
  uint16_t bits = made_finite(table, narrowed(table, value, FE_TONEAREST));
  return value != value ? 0x7f : (uint8_t)(bits >> 8 & 0x80) | (uint8_t)bits;
}

TEST tf32_and_fp8(void) {
  ASSERT_EQ(0x3f800000u, NVVM(f2tf32_rn)(0x1.002p0f));
  ASSERT_EQ(0x3f802000u, NVVM(f2tf32_rna)(0x1.002p0f));
  ASSERT_EQ(0x3f804000u, NVVM(f2tf32_rn)(0x1.006p0f));
  ASSERT_EQ(0x3f802000u, NVVM(f2tf32_rz)(0x1.007p0f));
  ASSERT_EQ(0xff800000u, NVVM(f2tf32_rna)(-0x1.fffffep127f));
  ASSERT_EQ(0xff7fe000u, NVVM(f2tf32_rna_satfinite)(-0x1.fffffep127f));
  ASSERT_EQ(0x7fffffffu, NVVM(f2tf32_rz)(NAN));
  for (int i = 0; i < ROUNDS; ++i) {
    float a = random_float(), b = random_float();
    half2 pair = {(half)a, (half)b};
    ASSERT_EQ(fp8(&e4m3, a) << 8 | fp8(&e4m3, b), NVVM(ff_to_e4m3x2_rn)(a, b));
    ASSERT_EQ(fp8(&e5m2, a) << 8 | fp8(&e5m2, b), NVVM(ff_to_e5m2x2_rn)(a, b));
    ASSERT_EQ(fp8(&e5m2, (float)pair.y) << 8 | fp8(&e5m2, (float)pair.x), NVVM(f16x2_to_e5m2x2_rn)(pair));
    ASSERT_EQ(a < 0 || a == 0 ? 0 : fp8(&e4m3, a), NVVM(ff_to_e4m3x2_rn_relu)(a, b) >> 8);
  }
  for (int i = 0; i < 256; ++i) {
    half from_e4m3 = NVVM(e4m3x2_to_f16x2_rn)((uint16_t)(i << 8)).y,
         from_e5m2 = NVVM(e5m2x2_to_f16x2_rn)((uint16_t)i).x;
    double sign = i & 128 ? -1 : 1;
    int magnitude = i & 127;
    ASSERT(magnitude == 127 ? from_e4m3 != from_e4m3 : (double)(float)from_e4m3 == sign * e4m3.magnitudes[magnitude]);
    ASSERT(magnitude > 124    ? from_e5m2 != from_e5m2
           : magnitude == 124 ? isinf((float)from_e5m2)
                              : (double)(float)from_e5m2 == sign * e5m2.magnitudes[magnitude]);
  }
  PASS();
}

/* fma of small formats with one rounding: the sum toward zero, its last bit set if it is inexact, then narrowed. */
static double odd_fma(volatile double a, volatile double b, volatile double c) {
  volatile double sum;
  double result;
  uint64_t bits;
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_ALL_EXCEPT);
  sum = fma(a, b, c);
  result = sum;
  memcpy(&bits, &result, sizeof bits);
  if (fetestexcept(FE_INEXACT) && result - result == 0)
    bits |= 1;
  fesetround(FE_TONEAREST);
  return double_of(bits);
}

half NVVM(fma_rn_f16)(half, half, half), NVVM(fma_rn_ftz_f16)(half, half, half), NVVM(fma_rn_sat_f16)(half, half, half);
half NVVM(fma_rn_relu_f16)(half, half, half), NVVM(add_sat_f16)(half, half), NVVM(mul_ftz_f16)(half, half);
half2 NVVM(fma_rn_f16x2)(half2, half2, half2);
bfloat NVVM(fma_rn_bf16)(bfloat, bfloat, bfloat), NVVM(fma_rn_relu_bf16)(bfloat, bfloat, bfloat);

static half flushed_half(half a) {
  return fabsf((float)a) < 0x1p-14f ? half_of(bits_of_half(a) & 0x8000) : a;
}

TEST small_fma(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    half a = half_of((uint16_t)random_bits()), b = half_of((uint16_t)random_bits()),
         c = half_of((uint16_t)random_bits());
    bfloat x = bfloat_of((uint16_t)random_bits()), y = bfloat_of((uint16_t)random_bits()),
           z = bfloat_of((uint16_t)random_bits());
    if (i & 1) { /* products on a tie, moved by a tiny third */
      x = bfloat_of(0x3f81), y = (bfloat)(i & 2 ? 1.5f : 2.25f);
      z = (bfloat)ldexpf(i & 4 ? 1 : -1, -(int)(random_bits() % 140));
    }
    double exact = odd_fma((double)(float)a, (double)(float)b, (double)(float)c);
    half ftz_a = flushed_half(a), ftz_b = flushed_half(b), ftz_c = flushed_half(c);
    half plain = NVVM(fma_rn_f16)(a, b, c);
    uint16_t want = narrowed(&halves, exact, FE_TONEAREST);
    ASSERT(same_bits(bits_of_half(plain), want, &halves));
    ASSERT(same_bits(bits_of_half(NVVM(fma_rn_f16x2)((half2){c, a}, (half2){c, b}, (half2){c, c}).y), want, &halves));
    exact = odd_fma((double)(float)ftz_a, (double)(float)ftz_b, (double)(float)ftz_c);
    ASSERT(same_bits(bits_of_half(NVVM(fma_rn_ftz_f16)(a, b, c)),
                     bits_of_half(flushed_half(half_of(narrowed(&halves, exact, FE_TONEAREST)))), &halves));
    ASSERT_EQ(bits_of_half((half)saturated((float)plain)), bits_of_half(NVVM(fma_rn_sat_f16)(a, b, c)));
    ASSERT(same_bits(bits_of_half(NVVM(fma_rn_relu_f16)(a, b, c)),
                     plain > 0 || plain != plain ? bits_of_half(plain) : 0, &halves));
    ASSERT_EQ(bits_of_half((half)saturated((float)(half)((float)a + (float)b))), bits_of_half(NVVM(add_sat_f16)(a, b)));
    ASSERT(same_bits(bits_of_half(NVVM(mul_ftz_f16)(a, b)),
                     bits_of_half(flushed_half((half)((float)ftz_a * (float)ftz_b))), &halves));
    exact = odd_fma((double)(float)x, (double)(float)y, (double)(float)z);
    want = narrowed(&bfloats, exact, FE_TONEAREST);
    ASSERT(same_bits(bits_of_bfloat(NVVM(fma_rn_bf16)(x, y, z)), want, &bfloats));
    ASSERT(
        same_bits(bits_of_bfloat(NVVM(fma_rn_relu_bf16)(x, y, z)), exact < 0 || want == 0x8000 ? 0 : want, &bfloats));
  }
  PASS();
}

float NVVM(fmin_f)(float, float), NVVM(fmax_f)(float, float), NVVM(fmin_nan_f)(float, float);
float NVVM(fmax_nan_f)(float, float), NVVM(fmin_ftz_f)(float, float), NVVM(fmax_xorsign_abs_f)(float, float);
double NVVM(fmin_d)(double, double), NVVM(fmax_d)(double, double);
half NVVM(fmin_f16)(half, half), NVVM(fmax_nan_f16)(half, half), NVVM(fmax_ftz_f16)(half, half);
bfloat NVVM(fmax_bf16)(bfloat, bfloat), NVVM(fmin_nan_bf16)(bfloat, bfloat);
float NVVM(div_approx_f)(float, float), NVVM(saturate_f)(float);
double NVVM(rcp_approx_ftz_d)(double);

TEST extremes(void) {
  const float nan = NAN;
  ASSERT(same_float(NVVM(fmin_f)(0.0f, -0.0f), -0.0f) && same_float(NVVM(fmin_f)(-0.0f, 0.0f), -0.0f));
  ASSERT(same_float(NVVM(fmax_f)(0.0f, -0.0f), 0.0f) && same_float(NVVM(fmax_f)(-0.0f, 0.0f), 0.0f));
  ASSERT(same_double(NVVM(fmin_d)(0.0, -0.0), -0.0) && same_double(NVVM(fmin_d)(-0.0, 0.0), -0.0));
  ASSERT(same_double(NVVM(fmax_d)(-0.0, 0.0), 0.0) && same_double(NVVM(fmax_d)(0.0, -0.0), 0.0));
  ASSERT(same_float(NVVM(fmin_f)(nan, 2), 2) && same_float(NVVM(fmin_f)(2, nan), 2));
  ASSERT(same_double(NVVM(fmax_d)((double)NAN, -2), -2) && same_double(NVVM(fmax_d)(-2, (double)NAN), -2));
  ASSERT(same_float(NVVM(fmax_nan_f)(nan, 2), nan) && same_float(NVVM(fmin_nan_f)(2, nan), nan));
  ASSERT(same_float(NVVM(fmin_ftz_f)(0x1p-140f, 1), 0) && same_float(NVVM(fmin_ftz_f)(-0x1p-140f, 1), -0.0f));
  ASSERT(same_float(NVVM(fmax_xorsign_abs_f)(-3, 2), -3) && same_float(NVVM(fmax_xorsign_abs_f)(-3, -4), 4));
  ASSERT_EQ(0x8000, bits_of_half(NVVM(fmin_f16)(half_of(0), half_of(0x8000))));
  ASSERT(isnan((float)NVVM(fmax_nan_f16)((half)nan, (half)1)));
  ASSERT_EQ(0, bits_of_half(NVVM(fmax_ftz_f16)(half_of(0x3ff), half_of(0x8001))));
  ASSERT_EQ(0x4040, bits_of_bfloat(NVVM(fmax_bf16)((bfloat)3.0f, (bfloat)nan)));
  ASSERT(isnan((float)NVVM(fmin_nan_bf16)((bfloat)3.0f, (bfloat)nan)));
  ASSERT(same_float(NVVM(saturate_f)(nan), 0) && same_float(NVVM(saturate_f)(-1), 0) &&
         same_float(NVVM(saturate_f)(7), 1));
  ASSERT(same_float(NVVM(div_approx_f)(3, -0x1.8p126f), -0.0f) && isnan(NVVM(div_approx_f)(INFINITY, 0x1p127f)));
  ASSERT(same_float(NVVM(div_approx_f)(3, 0x1p126f), 3 * 0x1p-126f) && isnan(NVVM(div_approx_f)(1, nan)));
  ASSERT(same_double(NVVM(rcp_approx_ftz_d)(-0x1p-1030), -(double)INFINITY) && NVVM(rcp_approx_ftz_d)(4) == 0.25);
  PASS();
}

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  fill_tables();
  RUN_TEST(rounded_arithmetic);
  RUN_TEST(to_integers);
  RUN_TEST(from_integers);
  RUN_TEST(narrow_formats);
  RUN_TEST(tf32_and_fp8);
  RUN_TEST(small_fma);
  RUN_TEST(extremes);
  GREATEST_MAIN_END();
}
