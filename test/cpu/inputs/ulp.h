// Shared by the math programs: inputs of all magnitudes, and the distance from a reference in units of the last place.
#ifndef GASAN_TEST_CPU_ULP_H
#define GASAN_TEST_CPU_ULP_H

#include "buffer.h"
#include <limits>

static inline float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double fromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T>
T randomPattern(Random &random);
template <>
inline float randomPattern(Random &random) {
  return fromBits(random.next());
}
template <>
inline double randomPattern(Random &random) {
  uint64_t high = random.next();
  return fromBits(high << 32 | random.next());
}

// Special values first, then in equal parts any bit pattern, values from -8 to 8, and values from -200 to 200. Two
// lists with different `turn` combine every two special values.
template <typename T>
std::vector<T> inputs(size_t count, unsigned seed, size_t turn = 1) {
  typedef std::numeric_limits<T> Limits;
  const T special[] = {0,
                       1,
                       0.5,
                       2,
                       1.5,
                       2.5,
                       3,
                       10,
                       T(1) / 3,
                       T(3.14159265358979323846),
                       100,
                       1000,
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::min() / 2,
                       Limits::max(),
                       Limits::max() / 2,
                       Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::epsilon(),
                       1 - Limits::epsilon() / 2,
                       1 + Limits::epsilon(),
                       T(65536.5),
                       T(1e9),
                       T(1e22)};
  const size_t specials = sizeof special / sizeof *special;
  Random random(seed);
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) {
    size_t which = i / turn;
    if (which < 2 * specials * (turn == 1 ? 2 * specials : 1))
      values[i] = which % 2 ? -special[which / 2 % specials] : special[which / 2 % specials];
    else if (i % 3 == 0)
      values[i] = randomPattern<T>(random);
    else
      values[i] = (T(random.next()) / T(2147483648.0) - 1) * (i % 3 == 1 ? 8 : 200);
  }
  return values;
}

// Returns the distance of `have` from the exact value, in units of the last place of T; 0 for equal special values.
template <typename T>
double ulps(T have, long double exact) {
  typedef std::numeric_limits<T> Limits;
  T rounded = T(exact);
  if (std::isnan(rounded) || std::isnan(have))
    return std::isnan(rounded) && std::isnan(have) ? 0 : INFINITY;
  if (have == rounded)
    return 0;
  if (std::isinf(have) && std::isinf(rounded))
    return INFINITY;
  int exponent;
  std::frexp(std::isinf(rounded) ? Limits::max() : rounded, &exponent);
  if (rounded == 0 || exponent < Limits::min_exponent)
    exponent = Limits::min_exponent;
  // An infinite value counts as one place beyond the largest number.
  long double behind = std::ldexp(1.0L, Limits::max_exponent);
  long double distance = (std::isinf(have) ? std::copysign(behind, (long double)have) : (long double)have) -
                         (std::isinf(rounded) ? std::copysign(behind, exact) : exact);
  return double(std::fabs(distance) / std::ldexp(1.0L, exponent - Limits::digits));
}

// Returns whether both are NaN, or have the same bits.
template <typename T>
bool identical(T a, T b) {
  return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}
// Replaces all NaNs by one, for checksums.
template <typename T>
T canonical(T a) {
  return a != a ? std::numeric_limits<T>::quiet_NaN() : a;
}

#endif
