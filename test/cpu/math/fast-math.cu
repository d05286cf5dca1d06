// The fast intrinsics are as accurate as the CUDA C++ Programming Guide says, and so is what -ffast-math makes of the
// plain functions. Bounds: __fdividef 2 ulps for divisors of 2^-126 to 2^126, 0 beyond; __expf 2 + floor(abs(1.173 x))
// ulps, __exp10f 2 + floor(abs(2.97 x)); __logf, __log2f, __log10f absolute 2^-21.41, 2^-22, 2^-24 in [0.5, 2], else 3,
// 2, 3 ulps; __sinf and
// __cosf absolute 2^-21.41 and 2^-21.19 in [-pi, pi]; __powf is exp2f(y * __log2f(x)); __tanf __sinf / __cosf.
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O2 -Xarch_device -ffast-math -DPLAIN %s -o %t.plain
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %run %t.plain 2>&1 >/dev/null | %silent
#include "../inputs/ulp.h"

#ifdef PLAIN
#define __fdividef(x, y) ((x) / (y))
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __sincosf sincosf
#endif
const size_t count = 20000;
enum { Divide, Exp, Exp10, Log, Log2, Log10, Sin, Cos, Tan, Pow, Saturate, SineOfBoth, Results };

__global__ void evaluate(const float *px, const float *py, float *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = px[i], y = py[i], *r = out + i * Results, cosine;
  r[Divide] = __fdividef(x, y);
  r[Exp] = __expf(y);
  r[Exp10] = __exp10f(y / 4);
  r[Log] = __logf(x);
  r[Log2] = __log2f(x);
  r[Log10] = __log10f(x);
  r[Sin] = __sinf(y);
  r[Cos] = __cosf(y);
  r[Tan] = __tanf(y);
  r[Pow] = __powf(x, y);
  r[Saturate] = __saturatef(y);
  __sincosf(y, &r[SineOfBoth], &cosine);
}

static void absolute(const char *name, double x, double have, long double exact, double bound) {
  EXPECT(std::fabs(have - exact) <= bound, "%s of %a: %a, not %La", name, x, have, exact);
}
static void relative(const char *name, double x, float have, long double exact, double bound) {
  EXPECT(ulps(have, exact) <= bound + 0.5, "%s of %a: %a, not %La: %g ulps", name, x, double(have), exact,
         ulps(have, exact));
}
static void logarithm(const char *name, float x, float have, long double exact, double bound, double ulpBound) {
  if (x >= 0.5f && x <= 2)
    absolute(name, x, have, exact, bound);
  else
    relative(name, x, have, exact, ulpBound);
}

int main() {
  Random random(71);
  std::vector<float> x(count), y(count); // x positive of all magnitudes, y within pi
  for (size_t i = 0; i < count; ++i) {
    x[i] = i % 2 ? 0.25f + 2 * random.unit() : std::ldexp(1 + random.unit(), int(random.below(250)) - 125);
    y[i] = (random.unit() * 2 - 1) * (i % 4 ? 3.1415926f : 1e-3f);
  }
  Buffer<float> px(x), py(y), out(count * Results);
  evaluate<<<(count + 127) / 128, 128>>>(px, py, out);
  std::vector<float> have = out.host();
  for (size_t i = 0; i < count; ++i) {
    float *r = &have[i * Results], a = x[i], b = y[i];
    long double lx = a, ly = b;
    if (std::fabs(lx / ly) < 1e38 && std::fabs(lx / ly) > 1e-37)
      relative("__fdividef", a, r[Divide], lx / ly, 2);
    relative("__expf", b, r[Exp], expl(ly), 2 + std::floor(std::fabs(1.173 * b)));
    relative("__exp10f", b, r[Exp10], powl(10, b / 4), 2 + std::floor(std::fabs(2.97 * b / 4)));
    logarithm("__logf", a, r[Log], logl(lx), std::exp2(-21.41), 3);
    logarithm("__log2f", a, r[Log2], log2l(lx), std::exp2(-22), 2);
    logarithm("__log10f", a, r[Log10], log10l(lx), std::exp2(-24), 3);
    absolute("__sinf", b, r[Sin], sinl(ly), std::exp2(-21.41));
    absolute("__sincosf", b, r[SineOfBoth], sinl(ly), std::exp2(-21.41));
    absolute("__cosf", b, r[Cos], cosl(ly), std::exp2(-21.19));
    if (std::fabs(std::fabs(b) - 1.5708f) > 0.1f) // a quotient of two such results, where the divisor is not small
      absolute("__tanf", b, r[Tan], tanl(ly), 100 * std::exp2(-21));
    // The product's error: 2 ulps of the logarithm (2^-22 near 1) times y, and exp2's own.
    long double product = ly * log2l(lx);
    if (std::fabs(product) < 120)
      EXPECT(std::fabs(r[Pow] / powl(lx, ly) - 1) < std::fabs(product) * 4e-7 + std::fabs(b) * 4e-7 + 1e-6,
             "__powf of %a %a: %a", a, b, r[Pow]);
    EXPECT(r[Saturate] == std::fmin(std::fmax(b, 0.0f), 1.0f), "__saturatef of %a: %a", b, r[Saturate]);
  }
  return passed();
}
