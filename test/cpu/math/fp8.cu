// fp8, fp6 and fp4 (cuda_fp8.h, cuda_fp6.h, cuda_fp4.h) on the device are what the same headers give on the host:
// conversions from float, double and half, with and without saturation, and back, for all values of the small types.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

const size_t count = 8192;
enum { Results = 10 };

template <typename T>
__host__ __device__ float valueOf(unsigned char bits) {
  T x;
  x.__x = bits;
  return float(x);
}

__host__ __device__ void encode(float f, double d, unsigned char *out) {
  __half h = __float2half(f);
  out[0] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
  out[1] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3);
  out[2] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
  out[3] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2);
  out[4] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3);
  out[5] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2);
  out[6] = __nv_cvt_float_to_fp6(f, __NV_E2M3, cudaRoundNearest);
  out[7] = __nv_cvt_float_to_fp6(f, __NV_E3M2, cudaRoundNearest);
  out[8] = __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest);
  out[9] = __nv_cvt_double_to_fp6(d, __NV_E2M3, cudaRoundNearest);
}
__host__ __device__ void decode(unsigned i, float *out) {
  unsigned char bits = (unsigned char)i;
  out[0] = valueOf<__nv_fp8_e4m3>(bits);
  out[1] = valueOf<__nv_fp8_e5m2>(bits);
  out[2] = valueOf<__nv_fp6_e2m3>(bits & 63);
  out[3] = valueOf<__nv_fp6_e3m2>(bits & 63);
  out[4] = valueOf<__nv_fp4_e2m1>(bits & 15);
}
__global__ void encodeAll(const float *pf, const double *pd, unsigned char *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  encode(pf[i], pd[i], out + i * Results);
}
__global__ void decodeAll(float *out) {
  decode(threadIdx.x, out + threadIdx.x * 5);
}

int main() {
  std::vector<float> f = inputs<float>(count, 101);
  std::vector<double> d = inputs<double>(count, 102);
  Random random(103);
  for (size_t i = 200; i < count; i += 2) { // ties of all formats
    d[i] = std::ldexp(double(random.below(64)) - 32, int(random.below(20)) - 12);
    f[i] = float(d[i]);
  }
  Buffer<float> pf(f), values(256 * 5);
  Buffer<double> pd(d);
  Buffer<unsigned char> out(count * Results);
  encodeAll<<<count / 128, 128>>>(pf, pd, out);
  decodeAll<<<1, 256>>>(values);
  std::vector<unsigned char> have = out.host();
  std::vector<float> decoded = values.host();
  for (size_t i = 0; i < count; ++i) {
    unsigned char want[Results];
    encode(f[i], d[i], want);
    for (int k = 0; k < Results; ++k)
      EXPECT(have[i * Results + k] == want[k] || ((want[k] & 0x7f) == 0x7f && (have[i * Results + k] & 0x7f) == 0x7f),
             "conversion %d of %a %a: %02x, not %02x", k, f[i], d[i], have[i * Results + k], want[k]);
    for (int k = 0; k < Results; ++k)
      if (f[i] != f[i] || d[i] != d[i])
        have[i * Results + k] = 0; // the sign of a NaN is undefined
  }
  float last = -1;
  for (unsigned i = 0; i < 256; ++i) {
    float want[5];
    decode(i, want);
    for (int k = 0; k < 5; ++k) {
      EXPECT(identical(decoded[i * 5 + k], want[k]), "format %d of %02x: %a, not %a", k, i, decoded[i * 5 + k],
             want[k]);
      decoded[i * 5 + k] = canonical(want[k]);
    }
    if (i < 0x7f) { // e4m3 by definition
      float exact = i < 8 ? i / 512.0f : std::ldexp(float(8 + (i & 7)), int(i >> 3) - 10);
      EXPECT(decoded[i * 5] == exact && exact > last, "e4m3 %02x: %a, not %a", i, decoded[i * 5], exact);
      last = exact;
    }
  }
  printf("encoded %016llx decoded %016llx\n", (unsigned long long)checksum(have),
         (unsigned long long)checksum(decoded));
  return passed();
}
