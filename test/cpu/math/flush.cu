// -fgpu-flush-denormals-to-zero: float operations take subnormals for zeros of their sign and give none; doubles keep
// theirs. Without the flag floats keep them too: the same file, compiled a second time.
// RUN: %gasan -O2 -fgpu-flush-denormals-to-zero -DFLUSH=1 %s -o %t.flush
// RUN: %gasan -O2 -DFLUSH=0 %s -o %t.keep
// RUN: %run %t.flush 2>&1 >/dev/null | %silent
// RUN: %run %t.keep 2>&1 >/dev/null | %silent
#include "../inputs/ulp.h"

const size_t count = 4000;
enum { Floats = 10, Doubles = 3, Integers = 4 };
struct Row {
  float floats[Floats];
  double doubles[Doubles];
  int integers[Integers];
};

// Every product or sum is used alone: a contraction would round differently.
__global__ void evaluate(const float *px, const float *py, const double *pd, Row *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = px[i], y = py[i];
  double d = pd[i];
  out[i] = Row{
      {x + y, x - y, x * y, x / y, fmaf(x, y, x), sqrtf(x), __fadd_rn(x, y), __fmul_rz(x, y), fmaxf(x, y), (float)d},
      {(double)x, d * 0.5, d + d},
      {x < y, x == y, x != 0, __float2int_ru(x)}};
}

static float flushed(float x) {
  return FLUSH && std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}
static float towardZero(float x, float y) {
  double exact = double(x) * y;
  float nearest = float(exact);
  return std::fabs(double(nearest)) > std::fabs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
}
// A result that rounds to the smallest normal number from below may be flushed or not.
static bool borderline(float x) {
  return FLUSH && std::fabs(x) == std::numeric_limits<float>::min();
}

int main() {
  Random random(61);
  std::vector<float> x = inputs<float>(count, 62), y = inputs<float>(count, 63, 50);
  std::vector<double> d = inputs<double>(count, 64);
  for (size_t i = 3000; i < count; ++i) { // subnormals, and what makes them
    x[i] = std::ldexp(float(random.next()), -int(random.below(60)) - 120);
    y[i] =
        i % 2 ? std::ldexp(float(random.next()), -int(random.below(40)) - 30) : -std::ldexp(float(random.next()), -165);
    d[i] = i % 2 ? std::ldexp(double(random.next()), -165) : std::ldexp(double(random.next()), -1080);
  }
  Buffer<float> px(x), py(y);
  Buffer<double> pd(d);
  Buffer<Row> out(count);
  evaluate<<<(count + 127) / 128, 128>>>(px, py, pd, out);
  std::vector<Row> have = out.host();
  int subnormal = 0;
  for (size_t i = 0; i < count; ++i) {
    volatile float a = flushed(x[i]), b = flushed(y[i]);
    const float floats[Floats] = {
        a + b,           a - b,      a * b, a / b, std::fma(a, b, a), std::sqrt(a), a + b, towardZero(a, b),
        std::fmax(a, b), float(d[i])};
    for (int k = 0; k < Floats; ++k) {
      float value = have[i].floats[k], want = flushed(floats[k]);
      subnormal += std::fpclassify(value) == FP_SUBNORMAL;
      EXPECT(identical(value, want) || (value == 0 && want == 0 && k == 8) ||
                 (k == 5 && std::fabs(value - want) <= std::fabs(want) * 0x1p-22f) || // clang takes sqrt.approx
                 (borderline(floats[k]) && value == 0),
             "float %d of %a %a %a: %a, not %a", k, x[i], y[i], d[i], value, want);
    }
    EXPECT(identical(have[i].doubles[0], double(a)), "double of %a: %a", x[i], have[i].doubles[0]);
    EXPECT(identical(have[i].doubles[1], d[i] * 0.5) && identical(have[i].doubles[2], d[i] + d[i]),
           "double %a is not flushed", d[i]);
    EXPECT(have[i].integers[0] == (a < b) && have[i].integers[1] == (a == b) && have[i].integers[2] == (a != 0),
           "comparisons of %a %a: %d %d %d", x[i], y[i], have[i].integers[0], have[i].integers[1], have[i].integers[2]);
    if (std::fabs(a) < 1e9f)
      EXPECT(have[i].integers[3] == int(std::ceil(a)), "__float2int_ru of %a: %d", x[i], have[i].integers[3]);
  }
  EXPECT(FLUSH ? subnormal == 0 : subnormal > 1000, "%d subnormal results", subnormal);
  return passed();
}
