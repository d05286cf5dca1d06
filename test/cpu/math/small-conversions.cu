// Conversions of half and bfloat16 from and to float, double and integers of every width, in every rounding mode that
// CUDA has: rounded once and right; to integers they saturate. All values of the small formats, and random ones of the
// large.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

const size_t count = 16384;
enum { Modes = 4, Narrow = 22, Wide = 25 };

__device__ unsigned short bitsOf(__half x) {
  return __half_as_ushort(x);
}
__device__ unsigned short bitsOf(__nv_bfloat16 x) {
  return __bfloat16_as_ushort(x);
}

#define ALL(f, x) bitsOf(f##_rn(x)), bitsOf(f##_rz(x)), bitsOf(f##_rd(x)), bitsOf(f##_ru(x))
__global__ void toHalf(const float *pf, const double *pd, const long long *pn, unsigned short *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = pf[i];
  long long n = pn[i];
  const unsigned short values[Narrow] = {ALL(__float2half, f),
                                         ALL(__int2half, int(n)),
                                         ALL(__uint2half, unsigned(n)),
                                         ALL(__ll2half, n),
                                         ALL(__ull2half, (unsigned long long)n),
                                         bitsOf(__double2half(pd[i])),
                                         bitsOf(__short2half_rz(short(n)))};
  for (int k = 0; k < Narrow; ++k)
    out[i * Narrow + k] = values[k];
}
__global__ void toBfloat(const float *pf, const double *pd, const long long *pn, unsigned short *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = pf[i];
  long long n = pn[i];
  const unsigned short values[Narrow] = {ALL(__float2bfloat16, f),
                                         ALL(__int2bfloat16, int(n)),
                                         ALL(__uint2bfloat16, unsigned(n)),
                                         ALL(__ll2bfloat16, n),
                                         ALL(__ull2bfloat16, (unsigned long long)n),
                                         bitsOf(__double2bfloat16(pd[i])),
                                         bitsOf(__short2bfloat16_rz(short(n)))};
  for (int k = 0; k < Narrow; ++k)
    out[i * Narrow + k] = values[k];
}

#define INTEGERS(f, x) f##_rn(x), f##_rz(x), f##_rd(x), f##_ru(x)
__global__ void fromHalf(long long *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __half h = __ushort_as_half((unsigned short)i);
  const long long values[Wide] = {INTEGERS(__half2int, h),        INTEGERS(__half2uint, h),
                                  INTEGERS(__half2ll, h),         INTEGERS((long long)__half2ull, h),
                                  INTEGERS(__half2short, h),      INTEGERS(__half2ushort, h),
                                  __float_as_int(__half2float(h))};
  for (int k = 0; k < Wide; ++k)
    out[i * Wide + k] = values[k];
}
__global__ void fromBfloat(long long *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 h = __ushort_as_bfloat16((unsigned short)i);
  const long long values[Wide] = {INTEGERS(__bfloat162int, h),        INTEGERS(__bfloat162uint, h),
                                  INTEGERS(__bfloat162ll, h),         INTEGERS((long long)__bfloat162ull, h),
                                  INTEGERS(__bfloat162short, h),      INTEGERS(__bfloat162ushort, h),
                                  __float_as_int(__bfloat162float(h))};
  for (int k = 0; k < Wide; ++k)
    out[i * Wide + k] = values[k];
}

struct Format {
  int digits, lowest; // bits of the significand, exponent of the least normal number
  double largest;
  unsigned infinity;
};
static const Format halfFormat = {11, -14, 65504, 0x7c00}, bfloatFormat = {8, -126, 0x1.fep127, 0x7f80};

// The bits by definition: a multiple of the last place, counted.
static unsigned narrowed(const Format &format, long double value, int mode) {
  unsigned sign = std::signbit(value) ? 0x8000 : 0;
  if (value != value)
    return 0x7fff;
  if (std::isinf(value))
    return sign | format.infinity;
  int exponent = value == 0 ? format.lowest : std::max(std::ilogb(value), format.lowest);
  long double place = std::ldexp(1.0L, exponent - format.digits + 1), count = std::fabs(value) / place;
  bool down = mode == 1 || mode == (sign ? 3 : 2);
  count = mode == 0 ? rintl(count) : down ? floorl(count) : ceill(count);
  if (count * place > format.largest)
    return sign | (mode == 0 || !down ? format.infinity : format.infinity - 1);
  return sign | (unsigned)((exponent - format.lowest) * (1 << (format.digits - 1)) + (long long)count);
}
static bool same(unsigned have, unsigned want, unsigned infinity) {
  return have == want || ((have & 0x7fff) > infinity && (want & 0x7fff) > infinity);
}
template <typename T>
long long saturated(float value, int mode) {
  typedef std::numeric_limits<T> Limits;
  if (value != value)
    return sizeof(T) == 8 ? (long long)(1ull << 63) : 0;
  float whole = mode == 0   ? std::rint(value)
                : mode == 1 ? std::trunc(value)
                : mode == 2 ? std::floor(value)
                            : std::ceil(value);
  return (long long)(whole <= (long double)Limits::min()   ? Limits::min()
                     : whole >= (long double)Limits::max() ? Limits::max()
                                                           : T(whole));
}

int main() {
  std::vector<float> f = inputs<float>(count, 91);
  std::vector<double> d = inputs<double>(count, 92);
  std::vector<long long> n(count);
  Random random(93);
  for (size_t i = 0; i < count; ++i) {
    n[i] = (long long)(uint64_t(random.next()) << 32 | random.next()) >> random.below(64);
    if (i % 4 == 1) { // ties, and what lies just beside them, down to the subnormal numbers
      double tie = std::ldexp(double(2 * random.below(2048) + 1), int(random.below(30)) - 26);
      f[i] = float(tie) * (i % 8 == 1 ? 1 : -1);
      d[i] = tie + std::ldexp(double(random.below(3)) - 1, -50);
      n[i] = (2 * (long long)random.below(256) + 257) * (1ll << random.below(50)) + random.below(3) - 1;
    }
  }
  Buffer<float> pf(f);
  Buffer<double> pd(d);
  Buffer<long long> pn(n), wide(65536 * Wide);
  Buffer<unsigned short> out(count * Narrow);
  for (int kind = 0; kind < 2; ++kind) {
    const Format &format = kind ? bfloatFormat : halfFormat;
    (kind ? toBfloat : toHalf)<<<count / 128, 128>>>(pf, pd, pn, out);
    (kind ? fromBfloat : fromHalf)<<<512, 128>>>(wide);
    std::vector<unsigned short> have = out.host();
    std::vector<long long> integers = wide.host();
    for (size_t i = 0; i < count; ++i) {
      const long double sources[] = {f[i], (long double)int(n[i]), (long double)unsigned(n[i]), (long double)n[i],
                                     (long double)(unsigned long long)n[i]};
      for (int k = 0; k < Narrow; ++k) {
        unsigned short &bits = have[i * Narrow + k];
        long double source = k < 20 ? sources[k / 4] : k == 20 ? (long double)d[i] : (long double)short(n[i]);
        unsigned want = narrowed(format, source, k < 20 ? k % 4 : k - 20);
        EXPECT(same(bits, want, format.infinity), "kind %d conversion %d of %La: %04x, not %04x", kind, k, source, bits,
               want);
        if ((bits & 0x7fff) > format.infinity)
          bits = 0x7fff;
      }
    }
    for (unsigned i = 0; i < 65536; ++i) {
      long long *mine = &integers[i * Wide];
      float value = fromBits(uint32_t(mine[24]));
      unsigned back = narrowed(format, value, 0);
      EXPECT(same(back, i, format.infinity), "kind %d: %04x is %a", kind, i, value);
      for (int m = 0; m < 4; ++m) {
        const long long want[] = {saturated<int>(value, m),       saturated<unsigned>(value, m),
                                  saturated<long long>(value, m), saturated<unsigned long long>(value, m),
                                  saturated<short>(value, m),     saturated<unsigned short>(value, m)};
        for (int k = 0; k < 6; ++k)
          EXPECT(mine[k * 4 + m] == want[k], "kind %d integer %d mode %d of %a: %llx, not %llx", kind, k, m, value,
                 mine[k * 4 + m], want[k]);
      }
      mine[24] = value != value ? 0 : mine[24];
    }
    printf("%s %016llx %016llx\n", kind ? "bfloat16" : "half", (unsigned long long)checksum(have),
           (unsigned long long)checksum(integers));
  }
  return passed();
}
