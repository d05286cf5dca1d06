// Conversions between integers and floating point in all rounding modes. Conversions to integers saturate as PTX
// defines: out of range gives the nearest integer; NaN gives 0, or the top bit alone if either type has 64 bits.
// Conversions to floating point round as the mode says.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <cfenv>

const size_t count = 6000;

struct Row {
  int fi[4], di[4];
  unsigned fui[4], dui[4];
  long long fll[4], dll[4];
  unsigned long long full[4], dull[4];
  float fromInt[4], fromUnsigned[4], fromLong[4], fromUnsignedLong[4], fromDouble[4];
  double doubleFromLong[4], doubleFromUnsignedLong[4], doubleFromInt, doubleFromUnsigned;
  int bits, high, low;
  unsigned unsignedBits;
  long long longBits;
  double joined, again;
  float floatAgain;
};

#define ALL(f, x) {f##_rn(x), f##_rz(x), f##_rd(x), f##_ru(x)}
__global__ void convert(const float *pf, const double *pd, const long long *pn, Row *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float f = pf[i];
  double d = pd[i];
  long long n = pn[i];
  out[i] = Row{ALL(__float2int, f),
               ALL(__double2int, d),
               ALL(__float2uint, f),
               ALL(__double2uint, d),
               ALL(__float2ll, f),
               ALL(__double2ll, d),
               ALL(__float2ull, f),
               ALL(__double2ull, d),
               ALL(__int2float, int(n)),
               ALL(__uint2float, unsigned(n)),
               ALL(__ll2float, n),
               ALL(__ull2float, (unsigned long long)n),
               ALL(__double2float, d),
               ALL(__ll2double, n),
               ALL(__ull2double, (unsigned long long)n),
               __int2double_rn(int(n)),
               __uint2double_rn(unsigned(n)),
               __float_as_int(f),
               __double2hiint(d),
               __double2loint(d),
               __float_as_uint(f),
               __double_as_longlong(d),
               __hiloint2double(__double2loint(d), __double2hiint(d)),
               __longlong_as_double(__double_as_longlong(d)),
               __int_as_float(__float_as_int(f))};
}

static long double rounded(long double value, int mode) {
  return mode == 0 ? rintl(value) : mode == 1 ? truncl(value) : mode == 2 ? floorl(value) : ceill(value);
}
template <typename T>
T saturated(long double value, int mode, bool fromDouble) {
  typedef std::numeric_limits<T> Limits;
  if (value != value)
    return sizeof(T) == 8 || fromDouble ? T((unsigned long long)1 << (sizeof(T) * 8 - 1)) : 0;
  value = rounded(value, mode);
  return value <= Limits::min() ? Limits::min() : value >= (long double)Limits::max() ? Limits::max() : T(value);
}
template <typename To>
To narrowed(long double exact, int mode) {
  volatile long double value = exact;
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  fesetround(modes[mode]);
  volatile To result = To(value);
  fesetround(FE_TONEAREST);
  return result;
}

int main() {
  std::vector<float> f = inputs<float>(count, 31);
  std::vector<double> d = inputs<double>(count, 32);
  std::vector<long long> n(count);
  Random random(33);
  for (size_t i = 0; i < count; ++i) {
    n[i] = (long long)(uint64_t(random.next()) << 32 | random.next()) >> random.below(64);
    int width = i % 4 == 1 ? 31 : i % 4 == 2 ? 32 : 63 + int(i % 8 == 3); // near the ends of the ranges
    if (i % 4 && i > 200) {
      d[i] = (i % 16 < 8 ? 1 : -1) * (std::ldexp(1.0, width) + (double(random.below(17)) - 8) / (i % 32 < 16 ? 4 : 1));
      f[i] = float(d[i]);
    }
  }
  n[0] = 0, n[1] = -1, n[2] = 1ll << 62, n[3] = (1ll << 62) + (1ll << 38) + 1;
  Buffer<float> pf(f);
  Buffer<double> pd(d);
  Buffer<long long> pn(n);
  Buffer<Row> out(count);
  convert<<<(count + 127) / 128, 128>>>(pf, pd, pn, out);
  std::vector<Row> have = out.host();
  for (size_t i = 0; i < count; ++i) {
    Row &r = have[i];
    for (int m = 0; m < 4; ++m) {
      EXPECT(r.fi[m] == saturated<int>(f[i], m, false), "mode %d of %a: int %d", m, f[i], r.fi[m]);
      EXPECT(r.fui[m] == saturated<unsigned>(f[i], m, false), "mode %d of %a: unsigned %u", m, f[i], r.fui[m]);
      EXPECT(r.fll[m] == saturated<long long>(f[i], m, false), "mode %d of %a: long long %lld", m, f[i], r.fll[m]);
      EXPECT(r.full[m] == saturated<unsigned long long>(f[i], m, false), "mode %d of %a: %llu", m, f[i], r.full[m]);
      EXPECT(r.di[m] == saturated<int>(d[i], m, true), "mode %d of double %a: int %d", m, d[i], r.di[m]);
      EXPECT(r.dui[m] == saturated<unsigned>(d[i], m, true), "mode %d of double %a: unsigned %u", m, d[i], r.dui[m]);
      EXPECT(r.dll[m] == saturated<long long>(d[i], m, true), "mode %d of double %a: long long %lld", m, d[i],
             r.dll[m]);
      EXPECT(r.dull[m] == saturated<unsigned long long>(d[i], m, true), "mode %d of double %a: %llu", m, d[i],
             r.dull[m]);
      unsigned long long u = n[i];
      EXPECT(identical(r.fromInt[m], narrowed<float>(int(n[i]), m)), "mode %d: float of int %d", m, int(n[i]));
      EXPECT(identical(r.fromUnsigned[m], narrowed<float>(unsigned(n[i]), m)), "mode %d: float of unsigned %u", m,
             unsigned(u));
      EXPECT(identical(r.fromLong[m], narrowed<float>(n[i], m)), "mode %d: float of %lld: %a", m, n[i], r.fromLong[m]);
      EXPECT(identical(r.fromUnsignedLong[m], narrowed<float>(u, m)), "mode %d: float of %llu: %a", m, u,
             r.fromUnsignedLong[m]);
      EXPECT(identical(r.doubleFromLong[m], narrowed<double>(n[i], m)), "mode %d: double of %lld", m, n[i]);
      EXPECT(identical(r.doubleFromUnsignedLong[m], narrowed<double>(u, m)), "mode %d: double of %llu", m, u);
      EXPECT(identical(r.fromDouble[m], narrowed<float>(d[i], m)), "mode %d: float of %a: %a", m, d[i],
             r.fromDouble[m]);
      r.fromDouble[m] = canonical(r.fromDouble[m]);
    }
    EXPECT(r.doubleFromInt == int(n[i]) && r.doubleFromUnsigned == unsigned(n[i]), "double of %lld", n[i]);
    long long bits;
    memcpy(&bits, &d[i], 8);
    EXPECT(r.high == int(bits >> 32) && r.low == int(bits) && r.longBits == bits, "halves of %a", d[i]);
    long long swapped;
    memcpy(&swapped, &r.joined, 8);
    EXPECT(swapped == (long long)((unsigned long long)bits << 32 | (unsigned long long)bits >> 32),
           "halves of %a joined", d[i]);
    EXPECT(memcmp(&r.again, &d[i], 8) == 0 && memcmp(&r.floatAgain, &f[i], 4) == 0 && memcmp(&r.bits, &f[i], 4) == 0 &&
               r.unsignedBits == unsigned(r.bits),
           "bits of %a %a", f[i], d[i]);
  }
  uint64_t sum = checksum("", 0);
  for (const Row &r : have)
    sum = checksum(&r, offsetof(Row, bits), sum);
  printf("conversions %016llx\n", (unsigned long long)sum);
  return passed();
}
