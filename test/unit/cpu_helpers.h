/* Shared by the tests of the CPU device's helpers: random values at which something changes, and comparisons of them.
 */
#ifndef GASAN_TEST_UNIT_CPU_HELPERS_H
#define GASAN_TEST_UNIT_CPU_HELPERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef _Float16 half;
typedef __bf16 bfloat;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef bfloat bfloat2 __attribute__((ext_vector_type(2)));

#define NVVM(name) gasan_nvvm_##name
enum { ROUNDS = 20000 };

static inline uint64_t random_bits(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 2685821657736338717u;
}

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline half half_of(uint16_t bits) {
  half value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline bfloat bfloat_of(uint16_t bits) {
  bfloat value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint16_t bits_of_half(half value) {
  uint16_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline uint16_t bits_of_bfloat(bfloat value) {
  uint16_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Values at which something changes, and numbers of all magnitudes. */
static inline double random_double(void) {
  static const double special[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   1.5,
                                   2.5,
                                   -2.5,
                                   0x1p-1074,
                                   -0x1p-1022,
                                   0x1p-149,
                                   0x1p-126,
                                   0x1.fffffep127,
                                   0x1.fffffffffffffp1023,
                                   2147483647.0,
                                   2147483648.0,
                                   -2147483648.0,
                                   -2147483649.0,
                                   4294967295.0,
                                   4294967296.0,
                                   0x1p63,
                                   -0x1p63,
                                   0x1p64,
                                   -0x1p64,
                                   0x1.fffffffffffffp63,
                                   65504.0,
                                   65519.9,
                                   65520.0,
                                   65535.0,
                                   0x1p-24,
                                   0x1p-25,
                                   448.0,
                                   464.0,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   (double)NAN};
  uint64_t bits = random_bits();
  switch (bits >> 32 & 3) {
  case 0:
    return special[bits % (sizeof special / sizeof *special)];
  case 1:
    return double_of(random_bits());
  case 2:
    return ldexp((double)(int64_t)random_bits(), (int)(bits % 160) - 120);
  default:
    return (double)((int)(bits % 4001) - 2000) / 4;
  }
}
static inline float random_float(void) {
  return random_bits() & 1 ? (float)random_double() : float_of((uint32_t)(random_bits() >> 16));
}

static inline bool same_float(float a, float b) {
  return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}
static inline bool same_double(double a, double b) {
  return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}
static inline float flushed(float a) {
  return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}
static inline float saturated(float a) {
  return a > 0 ? fminf(a, 1) : 0;
}

#endif
