// __fadd_rn/_rz/_rd/_ru and their kind (sub, mul, div, fma, rcp, sqrt; float and double) round as IEEE 754 says, in all
// four directions, for special values and subnormals too; __frsqrt_rn is correctly rounded. Bit for bit the host's
// results.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <cfenv>

const size_t count = 10000;
enum { Operations = 7 };

#define FLOAT_RESULTS(m)                                                                                               \
  {__fadd_##m(x, y),    __fsub_##m(x, y), __fmul_##m(x, y), __fdiv_##m(x, y),                                          \
   __fmaf_##m(x, y, z), __frcp_##m(x),    __fsqrt_##m(x)}
#define DOUBLE_RESULTS(m)                                                                                              \
  {__dadd_##m(x, y),   __dsub_##m(x, y), __dmul_##m(x, y), __ddiv_##m(x, y),                                           \
   __fma_##m(x, y, z), __drcp_##m(x),    __dsqrt_##m(x)}
#define KERNEL(T, results)                                                                                             \
  __global__ void evaluate(const T *px, const T *py, const T *pz, T *out) {                                            \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= count)                                                                                                    \
      return;                                                                                                          \
    T x = px[i], y = py[i], z = pz[i];                                                                                 \
    const T values[4][Operations] = {results(rn), results(rz), results(rd), results(ru)};                              \
    for (int mode = 0; mode < 4; ++mode)                                                                               \
      for (int k = 0; k < Operations; ++k)                                                                             \
        out[(i * 4 + mode) * Operations + k] = values[mode][k];                                                        \
  }
KERNEL(float, FLOAT_RESULTS)
KERNEL(double, DOUBLE_RESULTS)

__global__ void reciprocalRoots(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = __frsqrt_rn(in[i]);
}

template <typename T>
void check(const char *name) {
  std::vector<T> x = inputs<T>(count, 11), y = inputs<T>(count, 12, 50), z = inputs<T>(count, 13, 7);
  Buffer<T> px(x), py(y), pz(z), out(count * 4 * Operations);
  evaluate<<<(count + 127) / 128, 128>>>(px, py, pz, out);
  std::vector<T> have = out.host();
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (size_t i = 0; i < count; ++i)
    for (int mode = 0; mode < 4; ++mode) {
      volatile T a = x[i], b = y[i], c = z[i], one = 1, want[Operations];
      fesetround(modes[mode]);
      want[0] = a + b, want[1] = a - b, want[2] = a * b, want[3] = a / b, want[4] = std::fma(a, b, c),
      want[5] = one / a;
      want[6] = std::sqrt(a);
      fesetround(FE_TONEAREST);
      for (int k = 0; k < Operations; ++k) {
        T &result = have[(i * 4 + mode) * Operations + k];
        EXPECT(identical<T>(result, want[k]), "%s operation %d mode %d of %a %a %a: %a, not %a", name, k, mode,
               double(a), double(b), double(c), double(result), double(want[k]));
        result = canonical(result);
      }
    }
  printf("%s %016llx\n", name, (unsigned long long)checksum(have));
}

int main() {
  check<float>("float");
  check<double>("double");
  std::vector<float> x = inputs<float>(count, 14);
  Buffer<float> in(x), out(count);
  reciprocalRoots<<<(count + 127) / 128, 128>>>(in, out);
  std::vector<float> have = out.host();
  for (size_t i = 0; i < count; ++i) {
    float want = float(1 / sqrtl(x[i]));
    EXPECT(identical(have[i], want), "__frsqrt_rn of %a: %a, not %a", x[i], have[i], want);
    have[i] = canonical(have[i]);
  }
  printf("__frsqrt_rn %016llx\n", (unsigned long long)checksum(have));
  return passed();
}
