// Makes a kernel for each of FUNCTIONS, for the type R, and checks it against a reference. A bound is the documented
// maximal error in ulps. The comparison starts from the correctly rounded result, which adds half an ulp.
#include "../../inputs/ulp.h"

const size_t count = 6000;

// F(name, device expression of x y z w, reference of the same names, bound, where the bound is documented)
// places(A): an absolute bound, in ulps of the exact value.
#define places(bound) double((bound) / std::ldexp(1.0L, std::ilogb(R(exact)) + 1 - std::numeric_limits<R>::digits))
#define KERNEL(name, expression, reference, bound, condition)                                                          \
  __global__ void name##Kernel(const R *px, const R *py, const R *pz, const R *pw, R *out) {                           \
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;                                                                  \
    if (i < count) {                                                                                                   \
      R x = px[i], y = py[i], z = pz[i], w = pw[i];                                                                    \
      (void)x, (void)y, (void)z, (void)w;                                                                              \
      out[i] = expression;                                                                                             \
    }                                                                                                                  \
  }
#define CHECK(name, expression, reference, bound, condition)                                                           \
  {                                                                                                                    \
    name##Kernel<<<(count + 127) / 128, 128>>>(px, py, pz, pw, out);                                                   \
    std::vector<R> have = out.host();                                                                                  \
    for (size_t i = 0; i < count; ++i) {                                                                               \
      long double x = hx[i], y = hy[i], z = hz[i], w = hw[i];                                                          \
      (void)x, (void)y, (void)z, (void)w;                                                                              \
      if (!(condition))                                                                                                \
        continue;                                                                                                      \
      long double exact = reference;                                                                                   \
      double distance = ulps<R>(have[i], exact);                                                                       \
      EXPECT(distance <= (bound) + 0.5, "%s of %.17Lg, %.17Lg, %.17Lg: %.17g, not %.17Lg: %g ulps", #name, x, y, z,    \
             double(have[i]), exact, distance);                                                                        \
    }                                                                                                                  \
    ++functions;                                                                                                       \
  }

static const long double pi = 3.14159265358979323846264338327950288L;
static long double sinpiReference(long double x) {
  long double rest = remainderl(x, 2), sign = 1;
  if (rest > 0.5L || rest < -0.5L) {
    rest = (rest > 0 ? 1 : -1) - rest;
  }
  return sign * sinl(pi * rest);
}
static long double cospiReference(long double x) {
  long double rest = fabsl(remainderl(x, 2));
  return rest > 0.25L ? sinpiReference(0.5L - rest) : cosl(pi * rest);
}
// Newton's method on erfc, from a bisection.
static long double erfcinvReference(long double y) {
  if (!(y >= 0 && y <= 2))
    return NAN;
  if (y == 0 || y == 2)
    return y == 0 ? INFINITY : -INFINITY;
  if (y > 1)
    return -erfcinvReference(2 - y);
  long double low = 0, high = 110;
  for (int i = 0; i < 40; ++i) {
    long double middle = (low + high) / 2;
    (erfcl(middle) > y ? low : high) = middle;
  }
  long double x = low;
  for (int i = 0; i < 3; ++i)
    x += (erfcl(x) - y) / (2 / sqrtl(pi) * expl(-x * x));
  return x;
}
static long double erfinvReference(long double y) {
  if (fabsl(y) > 0.5L)
    return y > 0 ? erfcinvReference(1 - y) : -erfcinvReference(1 + y);
  long double x = y * sqrtl(pi) / 2;
  for (int i = 0; i < 8; ++i)
    x -= (erfl(x) - y) / (2 / sqrtl(pi) * expl(-x * x));
  return x;
}
// erfc(x) exp(x x), by a continued fraction where the factors overflow or underflow.
static long double erfcxReference(long double x) {
  if (x < 10)
    return expl(x * x) * erfcl(x);
  long double fraction = x;
  for (int k = 60; k > 0; --k)
    fraction = x + k / 2.0L / fraction;
  return 1 / (sqrtl(pi) * fraction);
}
// A series of positive terms.
static long double besselI(int order, long double x) {
  if (x != x)
    return x;
  if (fabsl(x) > 1000)
    return order && x < 0 ? -INFINITY : INFINITY;
  long double quarter = x * x / 4, term = order ? x / 2 : 1, sum = 0;
  for (int k = 1; k < 2000 && fabsl(term) > fabsl(sum) * 1e-21L; ++k) {
    sum += term;
    term *= quarter / k / (k + order);
  }
  return sum;
}
static long double rootOfSquares(long double a, long double b, long double c = 0, long double d = 0) {
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d))
    return INFINITY;
  return sqrtl(a * a + b * b + c * c + d * d);
}

FUNCTIONS(KERNEL)

int main() {
  std::vector<R> hx = inputs<R>(count, 1), hy = inputs<R>(count, 2, 50), hz = inputs<R>(count, 3, 7),
                 hw = inputs<R>(count, 4, 3);
  Buffer<R> px(hx), py(hy), pz(hz), pw(hw), out(count);
  int functions = 0;
  FUNCTIONS(CHECK)
  printf("%d functions\n", functions);
  return passed();
}
