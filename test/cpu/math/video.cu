// The SIMD-in-a-word intrinsics on two halves or four bytes: sums, differences, absolute values, averages, minima,
// maxima, comparisons, all signed and unsigned, wrapping and saturating, are what the lanes' own arithmetic gives.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const size_t count = 6000;
typedef long long L;

// name, lane type, the lane's result of a and b (c for three operands); wide enough for every sum
#define BINARY(F)                                                                                                      \
  F(vadd, a + b)                                                                                                       \
  F(vsub, a - b)                                                                                                       \
  F(vmaxs, a > b ? a : b)                                                                                              \
  F(vmins, a < b ? a : b)                                                                                              \
  F(vavgs, (a + b + (a + b >= 0)) >> 1)                                                                                \
  F(vaddss, saturate<T>(a + b))                                                                                        \
  F(vsubss, saturate<T>(a - b))                                                                                        \
  F(vabsdiffs, a > b ? a - b : b - a)                                                                                  \
  F(vcmpeq, a == b ? -1 : 0)                                                                                           \
  F(vcmpne, a != b ? -1 : 0)                                                                                           \
  F(vcmpges, a >= b ? -1 : 0)                                                                                          \
  F(vcmpgts, a > b ? -1 : 0)                                                                                           \
  F(vcmples, a <= b ? -1 : 0)                                                                                          \
  F(vcmplts, a < b ? -1 : 0)                                                                                           \
  F(vseteq, a == b)                                                                                                    \
  F(vsetges, a >= b)                                                                                                   \
  F(vsetlts, a < b)                                                                                                    \
  F(vsetne, a != b)                                                                                                    \
  F(vsetgts, a > b)                                                                                                    \
  F(vsetles, a <= b)
#define BINARY_UNSIGNED(F)                                                                                             \
  F(vmaxu, a > b ? a : b)                                                                                              \
  F(vminu, a < b ? a : b)                                                                                              \
  F(vavgu, (a + b + 1) >> 1)                                                                                           \
  F(vhaddu, (a + b) >> 1)                                                                                              \
  F(vaddus, saturate<T>(a + b))                                                                                        \
  F(vsubus, saturate<T>(a - b))                                                                                        \
  F(vabsdiffu, a > b ? a - b : b - a)                                                                                  \
  F(vcmpgeu, a >= b ? -1 : 0)                                                                                          \
  F(vcmpgtu, a > b ? -1 : 0)                                                                                           \
  F(vcmpleu, a <= b ? -1 : 0)                                                                                          \
  F(vcmpltu, a < b ? -1 : 0)                                                                                           \
  F(vsetgeu, a >= b)                                                                                                   \
  F(vsetltu, a < b)                                                                                                    \
  F(vsetgtu, a > b)                                                                                                    \
  F(vsetleu, a <= b)
#define UNARY(F)                                                                                                       \
  F(vabs, a < 0 ? -a : a)                                                                                              \
  F(vabsss, saturate<T>(a < 0 ? -a : a))                                                                               \
  F(vneg, -a)                                                                                                          \
  F(vnegss, saturate<T>(-a))

template <typename T>
static L saturate(L value) {
  typedef std::numeric_limits<T> Limits;
  return value<(L)Limits::min() ? (L)Limits::min() : value>(L) Limits::max() ? (L)Limits::max() : value;
}
#define REFERENCE(name, expression)                                                                                    \
  template <typename T>                                                                                                \
  unsigned name##Reference(unsigned x, unsigned y) {                                                                   \
    unsigned result = 0;                                                                                               \
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T)) {                                                     \
      L a = T(x >> shift), b = T(y >> shift);                                                                          \
      (void)b;                                                                                                         \
      result |= (unsigned(expression) & ((1ull << 8 * sizeof(T)) - 1)) << shift;                                       \
    }                                                                                                                  \
    return result;                                                                                                     \
  }
BINARY(REFERENCE)
BINARY_UNSIGNED(REFERENCE)
UNARY(REFERENCE)

template <typename T>
unsigned sumOfDifferences(unsigned x, unsigned y) {
  unsigned sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T))
    sum += unsigned(std::abs(int(T(x >> shift)) - int(T(y >> shift))));
  return sum;
}

#define DEVICE_BINARY(name, expression) values[k++] = __##name##2(x, y), values[k++] = __##name##4(x, y);
#define DEVICE_UNARY(name, expression) values[k++] = __##name##2(x), values[k++] = __##name##4(x);
#define HOST_SIGNED(name, expression)                                                                                  \
  values[k] = name##Reference<short>(x, y), names[k++] = #name "2", values[k] = name##Reference<signed char>(x, y),    \
  names[k++] = #name "4";
#define HOST_UNSIGNED(name, expression)                                                                                \
  values[k] = name##Reference<unsigned short>(x, y), names[k++] = #name "2",                                           \
  values[k] = name##Reference<unsigned char>(x, y), names[k++] = #name "4";

enum { Values = 2 * (20 + 15 + 4) + 4 };
__global__ void evaluate(const unsigned *px, const unsigned *py, unsigned *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned x = px[i], y = py[i], *values = out + i * Values;
  int k = 0;
  BINARY(DEVICE_BINARY)
  BINARY_UNSIGNED(DEVICE_BINARY)
  UNARY(DEVICE_UNARY)
  values[k++] = __vsads2(x, y), values[k++] = __vsadu2(x, y), values[k++] = __vsads4(x, y),
  values[k++] = __vsadu4(x, y);
}

int main() {
  Random random(51);
  std::vector<unsigned> x(count), y(count);
  const unsigned special[] = {0, ~0u, 0x80008000, 0x80808080, 0x7fff8000, 0x7f807f80, 0x00ff00ff, 0x01000100};
  for (size_t i = 0; i < count; ++i) {
    x[i] = i < 64 ? special[i / 8] : random.next();
    y[i] = i < 64 ? special[i % 8] : i % 4 ? random.next() : x[i] ^ (1u << random.below(32)) ^ (i % 8 ? 0 : 0xff);
  }
  Buffer<unsigned> px(x), py(y), out(count * Values);
  evaluate<<<(count + 127) / 128, 128>>>(px, py, out);
  std::vector<unsigned> have = out.host();
  for (size_t i = 0; i < count; ++i) {
    unsigned values[Values], *mine = &have[i * Values];
    const char *names[Values];
    int k = 0;
    auto evaluateHere = [&](unsigned x, unsigned y) {
      BINARY(HOST_SIGNED)
      BINARY_UNSIGNED(HOST_UNSIGNED)
      UNARY(HOST_SIGNED)
      values[k] = sumOfDifferences<short>(x, y), names[k++] = "vsads2";
      values[k] = sumOfDifferences<unsigned short>(x, y), names[k++] = "vsadu2";
      values[k] = sumOfDifferences<signed char>(x, y), names[k++] = "vsads4";
      values[k] = sumOfDifferences<unsigned char>(x, y), names[k++] = "vsadu4";
    };
    evaluateHere(x[i], y[i]);
    for (k = 0; k < Values; ++k)
      EXPECT(mine[k] == values[k], "__%s of %08x %08x: %08x, not %08x", names[k], x[i], y[i], mine[k], values[k]);
  }
  printf("%d intrinsics %016llx\n", int(Values), (unsigned long long)checksum(have));
  return passed();
}
