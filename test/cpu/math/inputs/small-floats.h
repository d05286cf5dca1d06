// Tests half and bfloat16, which have one interface. T and T2 are the types; fromDouble rounds on the host (CUDA's own
// code, to nearest). Arithmetic is correctly rounded, bit for bit. Math functions may be one place off the nearest
// value.
#include "../../inputs/ulp.h"
#include <cfenv>

enum { Exact = 16, Flags = 15, Unary = 16, Packed = 14 };
const size_t count = 65536;

__device__ unsigned short bitsOf(T x) {
  unsigned short bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static unsigned short hostBits(T x) {
  unsigned short bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static T ofBits(unsigned bits) {
  unsigned short narrow = (unsigned short)bits;
  T value;
  memcpy(&value, &narrow, sizeof value);
  return value;
}

__global__ void arithmetic(const T *px, const T *py, const T *pz, unsigned short *exact, unsigned char *flags) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  T x = px[i], y = py[i], z = pz[i];
  const T values[Exact] = {__hadd(x, y),        __hsub(x, y),         __hmul(x, y),     __hdiv(x, y),
                           __hfma(x, y, z),     __hadd_sat(x, y),     __hsub_sat(x, y), __hmul_sat(x, y),
                           __hfma_sat(x, y, z), __hfma_relu(x, y, z), __hneg(x),        __habs(x),
                           __hmin(x, y),        __hmax(x, y),         __hmin_nan(x, y), __hmax_nan(x, y)};
  const bool answers[Flags] = {__heq(x, y),  __hne(x, y),  __hlt(x, y),  __hle(x, y),      __hgt(x, y),
                               __hge(x, y),  __hequ(x, y), __hneu(x, y), __hltu(x, y),     __hleu(x, y),
                               __hgtu(x, y), __hgeu(x, y), __hisnan(x),  __hisinf(x) == 1, __hisinf(x) == -1};
  for (int k = 0; k < Exact; ++k)
    exact[i * Exact + k] = bitsOf(values[k]);
  for (int k = 0; k < Flags; ++k)
    flags[i * Flags + k] = answers[k];
}

__global__ void functions(unsigned short *out) { // for each of the 65,536 values
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short bits = (unsigned short)i;
  T x;
  memcpy(&x, &bits, sizeof x);
  const T values[Unary] = {hfloor(x), hceil(x),  htrunc(x), hrint(x), hsqrt(x),  hrsqrt(x), hrcp(x), hexp(x),
                           hexp2(x),  hexp10(x), hlog(x),   hlog2(x), hlog10(x), hsin(x),   hcos(x), T(float(x))};
  for (int k = 0; k < Unary; ++k)
    out[i * Unary + k] = bitsOf(values[k]);
}

// Operations on pairs equal those on single values. Also makes and takes apart pairs.
__global__ void pairs(const T *px, const T *py, const T *pz, unsigned short *out, int *comparisons) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  size_t other = count - 1 - i;
  T2 x = __halves2type(px[i], px[other]), y = __halves2type(py[i], py[other]), z = __halves2type(pz[i], pz[other]);
  const T2 values[Packed] = {__hadd2(x, y),    __hsub2(x, y),     __hmul2(x, y),        __h2div(x, y),
                             __hfma2(x, y, z), __hadd2_sat(x, y), __hfma2_sat(x, y, z), __hfma2_relu(x, y, z),
                             __hneg2(x),       __habs2(x),        __hmin2(x, y),        __hmax2_nan(x, y),
                             __hlt2(x, y),     h2floor(x)};
  for (int k = 0; k < Packed; ++k) {
    out[(i * Packed + k) * 2] = bitsOf(__low(values[k]));
    out[(i * Packed + k) * 2 + 1] = bitsOf(__high(values[k]));
  }
  comparisons[i] = __hbeq2(x, x) | __hbne2(x, y) << 1 | __hbltu2(x, y) << 2 | __hbge2(x, y) << 3;
}

static double oddFma(double x, double y, double z) { // rounds toward zero; sets the last bit if inexact
  volatile double a = x, b = y, c = z;
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_ALL_EXCEPT);
  volatile double sum = std::fma(a, b, c);
  bool inexact = fetestexcept(FE_INEXACT);
  fesetround(FE_TONEAREST);
  double result = sum;
  uint64_t bits;
  memcpy(&bits, &result, sizeof bits);
  bits |= inexact && std::isfinite(result);
  return fromBits(bits);
}
static double saturated(double x) {
  return x > 0 ? std::fmin(x, 1.0) : 0;
}
static double smaller(double a, double b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
static double larger(double a, double b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}
static bool same(unsigned short have, double want) {
  double value = double(float(ofBits(have)));
  return identical(value, double(float(fromDouble(want))));
}

static void checkArithmetic() {
  Random random(81);
  std::vector<T> x(count), y(count), z(count);
  const unsigned short special[] = {0,
                                    0x8000,
                                    1,
                                    0x8001,
                                    hostBits(fromDouble(1)),
                                    hostBits(fromDouble(-1.5)),
                                    hostBits(fromDouble(INFINITY)),
                                    hostBits(fromDouble(-INFINITY)),
                                    0x7fff,
                                    hostBits(fromDouble(60000))};
  for (size_t i = 0; i < count; ++i) {
    x[i] = ofBits(i < 1000 ? special[i % 10] : random.next());
    y[i] = ofBits(i < 1000 ? special[i / 10 % 10] : random.next());
    z[i] = ofBits(i < 1000 ? special[i / 100] : random.next());
    if (i % 4 == 3) { // values near each other, and products on a tie that a tiny sum decides
      x[i] = fromDouble(1 + random.below(128) / 64.0);
      y[i] = fromDouble(random.below(2) ? 1.5 : 1 + random.below(128) / 64.0);
      z[i] = fromDouble(std::ldexp(random.below(2) ? 1 : -1, -int(random.below(60))));
    }
  }
  Buffer<T> px(x), py(y), pz(z);
  Buffer<unsigned short> exact(count * Exact), packed(count * Packed * 2);
  Buffer<unsigned char> flags(count * Flags);
  Buffer<int> comparisons(count);
  arithmetic<<<count / 128, 128>>>(px, py, pz, exact, flags);
  pairs<<<count / 128, 128>>>(px, py, pz, packed, comparisons);
  std::vector<unsigned short> have = exact.host(), both = packed.host();
  std::vector<unsigned char> haveFlags = flags.host();
  std::vector<int> haveComparisons = comparisons.host();
  uint64_t sum = checksum("", 0);
  for (size_t i = 0; i < count; ++i) {
    double a = float(x[i]), b = float(y[i]), c = float(z[i]), nan = NAN;
    double product = double(float(fromDouble(oddFma(a, b, c))));
    const double want[Exact] = {a + b,
                                a - b,
                                a * b,
                                double(float(a) / float(b)),
                                product,
                                saturated(a + b),
                                saturated(a - b),
                                saturated(a * b),
                                saturated(product),
                                product > 0 || product != product ? product : 0,
                                -a,
                                std::fabs(a),
                                smaller(a, b),
                                larger(a, b),
                                a != a || b != b ? nan : smaller(a, b),
                                a != a || b != b ? nan : larger(a, b)};
    for (int k = 0; k < Exact; ++k) {
      unsigned short bits = have[i * Exact + k];
      const bool clamped = k >= 5 && k <= 9; // the sign of a zero is not specified
      EXPECT(same(bits, want[k]) || (clamped && want[k] == 0 && (bits & 0x7fff) == 0),
             "result %d of %a %a %a: %04x, not %a", k, a, b, c, bits, want[k]);
      float value = canonical(float(ofBits(clamped && (bits & 0x7fff) == 0 ? 0 : bits)));
      sum = checksum(&value, sizeof value, sum);
    }
    const bool un = a != a || b != b;
    const bool answers[Flags] = {a == b, !un && a != b, a<b, a <= b, a> b, a >= b,      un || a == b,
                                 a != b, un || a < b,   un || a <= b,      un || a > b, un || a >= b,
                                 a != a, a == INFINITY, a == -INFINITY};
    for (int k = 0; k < Flags; ++k)
      EXPECT(haveFlags[i * Flags + k] == answers[k], "comparison %d of %a %a: %d", k, a, b, haveFlags[i * Flags + k]);
    for (int half = 0; half < 2; ++half) {
      size_t from = half ? count - 1 - i : i;
      a = float(x[from]), b = float(y[from]);
      const int scalars[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 15};
      unsigned short *mine = &both[(i * Packed) * 2 + half];
      for (int k = 0; k < 12; ++k)
        EXPECT(same(mine[k * 2], float(ofBits(have[from * Exact + scalars[k]]))), "pair %zu half %d result %d", i, half,
               k);
      EXPECT(same(mine[12 * 2], a < b) && same(mine[13 * 2], std::floor(a)), "pair %zu half %d of %a %a: %04x %04x", i,
             half, a, b, mine[12 * 2], mine[13 * 2]);
    }
    size_t o = count - 1 - i;
    double d = float(x[o]), e = float(y[o]);
    a = float(x[i]), b = float(y[i]);
    int wanted = (a == a && d == d) | (!un && a != b && d == d && e == e && d != e) << 1 |
                 (!(a >= b) && !(d >= e)) << 2 | (a >= b && d >= e) << 3;
    EXPECT(haveComparisons[i] == wanted, "comparisons of %a %a and %a %a: %x, not %x", a, b, d, e, haveComparisons[i],
           wanted);
  }
  printf("arithmetic %016llx\n", (unsigned long long)sum);
}

// Distance in places of T.
static long placesApart(unsigned short a, unsigned short b) {
  auto order = [](unsigned short bits) { return bits & 0x8000 ? -long(bits & 0x7fff) : long(bits); };
  return std::labs(order(a) - order(b));
}

static void checkFunctions() {
  Buffer<unsigned short> out(65536 * Unary);
  functions<<<512, 128>>>(out);
  std::vector<unsigned short> have = out.host();
  for (unsigned i = 0; i < 65536; ++i) {
    double x = float(ofBits(i));
    const double want[Unary] = {std::floor(x), std::ceil(x),     std::trunc(x), std::rint(x),
                                std::sqrt(x),  1 / std::sqrt(x), 1 / x,         std::exp(x),
                                std::exp2(x),  std::pow(10, x),  std::log(x),   std::log2(x),
                                std::log10(x), std::sin(x),      std::cos(x),   x};
    for (int k = 0; k < Unary; ++k) {
      unsigned short bits = have[i * Unary + k], nearest = hostBits(fromDouble(want[k]));
      bool near = same(bits, want[k]) || (k >= 4 && k < 15 && want[k] == want[k] && !std::isnan(float(ofBits(bits))) &&
                                          placesApart(bits, nearest) <= 1);
      EXPECT(near, "function %d of %a: %04x, not %04x (%a)", k, x, bits, nearest, want[k]);
    }
  }
  printf("functions of all values\n");
}
