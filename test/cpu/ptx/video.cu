// Video and floating-point PTX: SIMD and scalar video instructions, directed rounding, saturation, flushing, min and
// max with NaN and signed zeros, classification, and conversions that round and saturate.
// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Results {
  uint32_t add4, sub2, average4, difference4, sumOfDifferences, largest2, set4, scalar, shifted, saturatedByte, packed;
  float up, down, zero, flushed, saturated, least, mostNaN, copied;
  uint32_t classes;
  int32_t rounded[4];
};

__global__ void compute(const uint32_t *in, Results *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  float x = __uint_as_float(a), y = __uint_as_float(b);
  Results r;
  asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r.add4) : "r"(a), "r"(b), "r"(0));
  asm("vsub2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r.sub2) : "r"(a), "r"(b), "r"(0));
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r.average4) : "r"(a), "r"(b), "r"(0));
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r.difference4) : "r"(a), "r"(b), "r"(0));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r.sumOfDifferences) : "r"(a), "r"(b), "r"(c));
  asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r.largest2) : "r"(a), "r"(b), "r"(0));
  asm("vset4.u32.u32.ge %0, %1, %2, %3;" : "=r"(r.set4) : "r"(a), "r"(b), "r"(0));
  asm("vadd.s32.s32.u32.sat %0, %1.b3, %2.h1;" : "=r"(r.scalar) : "r"(a), "r"(b));
  asm("vshr.u32.u32.u32.clamp.add %0, %1, %2.b0, %3;" : "=r"(r.shifted) : "r"(a), "r"(b), "r"(c));
  asm("{.reg .u8 t; cvt.sat.u8.s32 t, %1; cvt.u32.u8 %0, t;}" : "=r"(r.saturatedByte) : "r"(a));
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r.packed) : "r"(a), "r"(b));
  asm("add.rp.f32 %0, %1, %2;" : "=f"(r.up) : "f"(1.0f), "f"(float(a & 0xff) * 0x1p-30f));
  asm("add.rm.f32 %0, %1, %2;" : "=f"(r.down) : "f"(1.0f), "f"(float(a & 0xff) * 0x1p-30f));
  asm("mul.rz.f32 %0, %1, %2;" : "=f"(r.zero) : "f"(-1.0000001f), "f"(1.0f + float(b & 0xff) * 0x1p-20f));
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(r.flushed) : "f"(__uint_as_float(a & 0x80ffffffu)), "f"(1.0f));
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(r.saturated) : "f"(x), "f"(1.0f), "f"(0.25f));
  asm("min.f32 %0, %1, %2;" : "=f"(r.least) : "f"(x), "f"(y));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r.mostNaN) : "f"(x), "f"(y));
  asm("copysign.f32 %0, %1, %2;" : "=f"(r.copied) : "f"(x), "f"(2.5f));
  asm("{.reg .pred p;\n\t"
      "testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p;\n\t"
      "testp.notanumber.f32 p, %1; @p add.u32 %0, %0, 2;\n\t"
      "testp.subnormal.f32 p, %1; @p add.u32 %0, %0, 4;\n\t"
      "testp.infinite.f32 p, %1; @p add.u32 %0, %0, 8;}"
      : "=&r"(r.classes)
      : "f"(x));
  float z = float(int(a) >> 10) * 0.25f;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r.rounded[0]) : "f"(z));
  asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(r.rounded[1]) : "f"(z));
  asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(r.rounded[2]) : "f"(z));
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r.rounded[3]) : "f"(z));
  out[i] = r;
}

template <typename F>
uint32_t lanes(int count, F f) {
  uint32_t result = 0, bits = 32 / count;
  for (int i = 0; i < count; i++)
    result |= (uint32_t(f(i * bits)) & uint32_t((1ull << bits) - 1)) << (i * bits);
  return result;
}
static int64_t clamp(int64_t v, int64_t least, int64_t most) {
  return v < least ? least : v > most ? most : v;
}
static uint32_t bitsOf(float v) {
  uint32_t bits;
  memcpy(&bits, &v, 4);
  return bits;
}
static float floatOf(uint32_t bits) {
  float v;
  memcpy(&v, &bits, 4);
  return v;
}

int main() {
  const int n = 3000;
  Random random(29);
  const uint32_t edges[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fffffff, 0x00000001,
                            0x807fffff, 0x3f800000, 0xbf800000, 0xffffffff, 0x7f80ff00};
  std::vector<uint32_t> in(3 * n);
  for (uint32_t &v : in)
    v = random.below(3) == 0 ? edges[random.below(sizeof edges / sizeof *edges)] : random.next();
  uint32_t *dIn;
  Results *dOut;
  CUDA(cudaMalloc(&dIn, in.size() * 4));
  CUDA(cudaMalloc(&dOut, n * sizeof(Results)));
  CUDA(cudaMemcpy(dIn, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  compute<<<(n + 95) / 96, 96>>>(dIn, dOut, n);
  std::vector<Results> out(n);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(Results), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    const Results &r = out[i];
    auto byte = [](uint32_t v, int at) { return int(v >> at & 255); };
    auto half = [](uint32_t v, int at) { return int(int16_t(v >> at)); };
    EXPECT(r.add4 == lanes(4, [&](int at) { return clamp(byte(a, at) + byte(b, at), 0, 255); }), "%d", i);
    EXPECT(r.sub2 == lanes(2, [&](int at) { return clamp(half(a, at) - half(b, at), -32768, 32767); }), "%d", i);
    EXPECT(r.average4 == lanes(4, [&](int at) { return (byte(a, at) + byte(b, at) + 1) >> 1; }), "%d", i);
    EXPECT(r.difference4 == lanes(4, [&](int at) { return abs(byte(a, at) - byte(b, at)); }), "%d", i);
    uint32_t sum = c;
    for (int at = 0; at < 32; at += 8)
      sum += uint32_t(abs(byte(a, at) - byte(b, at)));
    EXPECT(r.sumOfDifferences == sum, "%d", i);
    EXPECT(r.largest2 == lanes(2, [&](int at) { return half(a, at) > half(b, at) ? half(a, at) : half(b, at); }), "%d",
           i);
    EXPECT(r.set4 == lanes(4, [&](int at) { return byte(a, at) >= byte(b, at); }), "%d", i);
    EXPECT(r.scalar == uint32_t(int8_t(a >> 24) + int(b >> 16)), "%d", i);
    EXPECT(r.shifted == ((b & 255) > 31 ? 0 : a >> (b & 31)) + c, "%d", i);
    EXPECT(r.saturatedByte == uint32_t(clamp(int32_t(a), 0, 255)), "%d", i);
    EXPECT(r.packed == (uint32_t(clamp(int32_t(a), -32768, 32767)) << 16 |
                        (uint32_t(clamp(int32_t(b), -32768, 32767)) & 0xffff)),
           "%d", i);
    const double exact = 1.0 + double(a & 0xff) * 0x1p-30;
    EXPECT(double(r.up) >= exact && double(nextafterf(r.up, 0)) < exact, "%d", i);
    EXPECT(double(r.down) <= exact && double(nextafterf(r.down, 2)) > exact, "%d", i);
    const double product = double(-1.0000001f) * double(1.0f + float(b & 0xff) * 0x1p-20f);
    EXPECT(double(r.zero) >= product && double(nextafterf(r.zero, -9)) < product, "%d", i);
    const float small = floatOf(a & 0x80ffffffu);
    EXPECT(bitsOf(r.flushed) == (fabsf(small) < 0x1p-126f ? a & 0x80000000u : bitsOf(small)), "%d", i);
    const float x = floatOf(a), y = floatOf(b);
    EXPECT(r.saturated == (x + 0.25f > 0 ? fminf(x + 0.25f, 1.0f) : 0.0f), "%d: %g", i, r.saturated);
    const bool xNaN = x != x, yNaN = y != y, zeros = x == 0 && y == 0;
    EXPECT(xNaN && yNaN ? r.least != r.least
                        : bitsOf(r.least) == (zeros ? a | b
                                                    : bitsOf(xNaN    ? y
                                                             : yNaN  ? x
                                                             : x < y ? x
                                                                     : y)),
           "%d: %08x", i, bitsOf(r.least));
    EXPECT(xNaN || yNaN ? r.mostNaN != r.mostNaN : bitsOf(r.mostNaN) == (zeros ? a & b : bitsOf(x > y ? x : y)), "%d",
           i);
    EXPECT(r.copied == (a >> 31 ? -2.5f : 2.5f), "%d", i);
    const uint32_t magnitude = a & 0x7fffffff;
    EXPECT(r.classes == (magnitude < 0x7f800000u) + (magnitude > 0x7f800000u ? 2u : 0) +
                            (magnitude && magnitude < 0x800000u ? 4u : 0) + (magnitude == 0x7f800000u ? 8u : 0),
           "%d", i);
    const double z = double(int(a) >> 10) * 0.25;
    const int32_t rounded[] = {int32_t(nearbyint(z)), int32_t(floor(z)), int32_t(ceil(z)), int32_t(trunc(z))};
    EXPECT(!memcmp(rounded, r.rounded, sizeof rounded), "%d", i);
  }
  std::vector<uint32_t> exact;
  for (const Results &r : out)
    exact.insert(exact.end(), {r.add4, r.sub2, r.average4, r.difference4, r.sumOfDifferences, r.largest2, r.set4,
                               r.scalar, r.classes, uint32_t(r.rounded[0])});
  printf("video %016llx\n", (unsigned long long)checksum(exact));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
