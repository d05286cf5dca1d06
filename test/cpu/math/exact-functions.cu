// Functions with exact results equal the host's functions, bit for bit: fmod, remainder, remquo, frexp, ldexp, scalbn,
// modf, nextafter, logb, ilogb, rounding to integral values, copysign, fabs, fmin, fmax and the classifications.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
namespace overloads { // the overloads for float, and no other names of std
using std::ceil, std::copysign, std::fabs, std::floor, std::fmax, std::fmin, std::fmod, std::frexp, std::ilogb,
    std::isfinite, std::isinf, std::isnan, std::ldexp, std::llrint, std::llround, std::logb, std::lrint, std::lround,
    std::modf, std::nearbyint, std::nextafter, std::remainder, std::remquo, std::rint, std::round, std::scalbn,
    std::signbit, std::trunc;
}

const size_t count = 6000;
enum { Values = 19, Integers = 11 };

template <typename T>
struct Results {
  T values[Values];
  long long integers[Integers];
};

// One text for both sides: overloads for float and double.
template <typename T>
__host__ __device__ void evaluate(T x, T y, int n, Results<T> &r) {
  using namespace overloads;
  int exponent = 0, quotient = 0;
  T integral;
  const T values[Values] = {fmod(x, y),
                            remainder(x, y),
                            remquo(x, y, &quotient),
                            frexp(x, &exponent),
                            ldexp(x, n),
                            scalbn(x, n),
                            modf(x, &integral),
                            nextafter(x, y),
                            logb(x),
                            floor(x),
                            ceil(x),
                            trunc(x),
                            rint(x),
                            nearbyint(x),
                            round(x),
                            copysign(x, y),
                            fabs(x),
                            x == y ? x : fmin(x, y),
                            integral};
  const bool finite = isfinite(x), nan = isnan(x), small = fabs(x) < T(1e9);
  // The integers of frexp, remquo and ilogb are specified for numbers only; of remquo's quotient only the sign and the
  // last three bits are.
  const long long integers[Integers] = {
      finite ? exponent : 0,
      isfinite(x) && !isnan(y) && y != 0 ? (quotient < 0 ? -(-quotient & 7) : quotient & 7) : 0,
      finite && x != 0 ? ilogb(x) : 0,
      small ? lrint(x) : 0,
      small ? llrint(x) : 0,
      small ? lround(x) : 0,
      small ? llround(x) : 0,
      finite,
      nan,
      isinf(x),
      nan ? 0 : signbit(x) != 0};
  for (int k = 0; k < Values; ++k)
    r.values[k] = values[k];
  for (int k = 0; k < Integers; ++k)
    r.integers[k] = integers[k];
}

template <typename T>
__global__ void kernel(const T *x, const T *y, const int *n, Results<T> *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    evaluate(x[i], y[i], n[i], out[i]);
}

template <typename T>
void check(const char *name) {
  std::vector<T> x = inputs<T>(count, 21), y = inputs<T>(count, 22, 50);
  std::vector<int> n(count);
  Random random(23);
  for (size_t i = 0; i < count; ++i) {
    n[i] = int(random.below(i % 2 ? 20 : 4400)) - (i % 2 ? 10 : 2200);
    if (i % 4 == 3) // y near an odd multiple of x / 2: ties of remainder
      y[i] = x[i] / (T(random.below(40)) + T(0.5));
  }
  Buffer<T> px(x), py(y);
  Buffer<int> pn(n);
  Buffer<Results<T>> out(count);
  kernel<T><<<(count + 127) / 128, 128>>>(px, py, pn, out);
  std::vector<Results<T>> have = out.host();
  uint64_t sum = checksum("", 0);
  for (size_t i = 0; i < count; ++i) {
    Results<T> want;
    evaluate(x[i], y[i], n[i], want);
    for (int k = 0; k < Values; ++k) {
      EXPECT(identical(have[i].values[k], want.values[k]), "%s value %d of %a %a %d: %a, not %a", name, k, double(x[i]),
             double(y[i]), n[i], double(have[i].values[k]), double(want.values[k]));
      T value = canonical(have[i].values[k]);
      sum = checksum(&value, sizeof value, sum);
    }
    for (int k = 0; k < Integers; ++k)
      EXPECT(have[i].integers[k] == want.integers[k], "%s integer %d of %a %a: %lld, not %lld", name, k, double(x[i]),
             double(y[i]), have[i].integers[k], want.integers[k]);
    sum = checksum(have[i].integers, sizeof have[i].integers, sum);
  }
  printf("%s %016llx\n", name, (unsigned long long)sum);
}

int main() {
  check<float>("float");
  check<double>("double");
  return passed();
}
