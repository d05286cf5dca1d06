// Integer PTX: carry chains, products, bit fields, funnel shifts, permutes, dot products and saturation. Results are
// those of the PTX ISA, for random operands and edge cases.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Results {
  uint32_t sum[4], difference[4], product[4], low, high, wide[2], mul24, mul24high, sad, bfe, sbfe, bfi, lop3, xorAnd,
      shfLeft, shfRight, permute, rotated, dp4, dp2, popc, clz, find, findShift, reversed, saturated, mask, nth, count,
      predicate;
  uint64_t field64, insert64;
};

__global__ void compute(const uint32_t *in, Results *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const uint32_t *a = in + 8 * i, *b = a + 4;
  Results r;
  asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
      : "=r"(r.sum[0]), "=r"(r.sum[1]), "=r"(r.sum[2]), "=r"(r.sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
      : "=r"(r.difference[0]), "=r"(r.difference[1]), "=r"(r.difference[2]), "=r"(r.difference[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  // 64 x 64 bits by 32-bit pieces
  asm("{\n\t"
      "mul.lo.u32 %0, %4, %6;\n\t"
      "mul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
      "madc.hi.u32 %2, %4, %7, 0;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
      "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
      "madc.hi.u32 %3, %5, %7, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
      "addc.u32 %3, %3, 0;\n\t"
      "}"
      : "=&r"(r.product[0]), "=&r"(r.product[1]), "=&r"(r.product[2]), "=&r"(r.product[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  uint64_t wide;
  asm("mul.lo.s32 %0, %1, %2;" : "=r"(r.low) : "r"(a[0]), "r"(b[0]));
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(r.high) : "r"(a[0]), "r"(b[0]));
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(a[0]), "r"(b[0]), "l"((uint64_t)a[1] << 20));
  r.wide[0] = uint32_t(wide);
  r.wide[1] = uint32_t(wide >> 32);
  asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r.mul24) : "r"(a[0]), "r"(b[0]));
  asm("mul24.hi.u32 %0, %1, %2;" : "=r"(r.mul24high) : "r"(a[0]), "r"(b[0]));
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(r.sad) : "r"(a[0]), "r"(b[0]), "r"(a[1]));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r.bfe) : "r"(a[0]), "r"(b[1] & 255), "r"(b[2] & 255));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r.sbfe) : "r"(a[0]), "r"(b[1] & 63), "r"(b[2] & 63));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r.bfi) : "r"(a[0]), "r"(b[0]), "r"(b[1] & 63), "r"(b[2] & 63));
  uint64_t a64 = a[0] | (uint64_t)a[1] << 32, b64 = b[0] | (uint64_t)b[1] << 32;
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(r.field64) : "l"(a64), "r"(b[2] & 127), "r"(b[3] & 127));
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r.insert64) : "l"(a64), "l"(b64), "r"(b[2] & 127), "r"(b[3] & 127));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r.lop3) : "r"(a[0]), "r"(a[1]), "r"(a[2])); // majority
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(r.xorAnd) : "r"(a[0]), "r"(a[1]), "r"(a[2]));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r.shfLeft) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r.shfRight) : "r"(a[0]), "r"(a[1]), "r"(b[0] & 63));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r.permute) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r.rotated) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r.dp4) : "r"(a[0]), "r"(b[0]), "r"(a[1]));
  asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r.dp2) : "r"(a[0]), "r"(b[0]), "r"(a[1]));
  asm("popc.b32 %0, %1;" : "=r"(r.popc) : "r"(a[0]));
  asm("clz.b32 %0, %1;" : "=r"(r.clz) : "r"(a[0]));
  asm("bfind.s32 %0, %1;" : "=r"(r.find) : "r"(a[0]));
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r.findShift) : "r"(a[0]));
  asm("brev.b32 %0, %1;" : "=r"(r.reversed) : "r"(a[0]));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(r.saturated) : "r"(a[0]), "r"(b[0]));
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r.nth) : "r"(a[0]), "r"(b[0] & 31), "r"(int(b[1] % 9) - 4));
  // A loop with labels: the number of steps of 3x + 1 (at most 40) until 1.
  asm("{\n\t"
      ".reg .pred done, odd;\n\t"
      ".reg .b32 x, y;\n\t"
      "mov.u32 x, %1;\n\t"
      "mov.u32 %0, 0;\n"
      "again_%=:\n\t"
      "setp.le.u32 done, x, 1;\n\t"
      "setp.ge.or.u32 done, %0, 40, done;\n\t"
      "@done bra out_%=;\n\t"
      "and.b32 y, x, 1;\n\t"
      "setp.ne.u32 odd, y, 0;\n\t"
      "@odd mad.lo.u32 x, x, 3, 1;\n\t"
      "@!odd shr.u32 x, x, 1;\n\t"
      "add.u32 %0, %0, 1;\n\t"
      "bra again_%=;\n"
      "out_%=:\n\t"
      "}"
      : "=&r"(r.count)
      : "r"(a[0] % 1000));
  asm("{\n\t.reg .pred p, q, s;\n\tsetp.lt.s32 p|q, %1, %2;\n\tsetp.hi.and.u32 s, %1, %2, q;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t@q add.u32 %0, %0, 2;\n\t@s add.u32 %0, %0, 4;\n\t}"
      : "=&r"(r.predicate)
      : "r"(a[0]), "r"(b[0]));
  r.mask = 0;
  out[i] = r;
}

using u128 = unsigned __int128;

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t both = a | (uint64_t)b << 32;
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t s = selector >> (4 * i) & 15, byte = uint32_t(both >> (8 * (s & 7))) & 255;
    result |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
  }
  return result;
}

// From the PTX ISA's pseudo code.
template <typename T>
T extract(T a, bool isSigned, unsigned position, unsigned length) {
  const unsigned top = sizeof(T) * 8 - 1;
  T result = 0, sign = 0;
  if (isSigned && length)
    sign = a >> (position + length - 1 < top ? position + length - 1 : top) & 1;
  for (unsigned i = 0; i <= top; i++)
    result |= (i < length && position + i <= top ? a >> (position + i) & 1 : sign) << i;
  return result;
}

template <typename T>
T insert(T a, T b, unsigned position, unsigned length) {
  const unsigned top = sizeof(T) * 8 - 1;
  for (unsigned i = 0; i < length && position + i <= top; i++)
    b = (b & ~(T(1) << (position + i))) | ((a >> i & 1) << (position + i));
  return b;
}

static uint32_t nth(uint32_t mask, uint32_t base, int offset) {
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int step = offset > 0 ? 1 : -1, left = offset * step;
  for (int bit = int(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0)
      return uint32_t(bit);
  return ~0u;
}

int main() {
  const int n = 4000;
  Random random(7);
  const uint32_t edges[] = {0,   1,      2,      31,     32,         33,         63,         127,       128,
                            255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  std::vector<uint32_t> in(8 * n);
  for (uint32_t &v : in)
    v = random.below(3) == 0 ? edges[random.below(sizeof edges / sizeof *edges)] : random.next() >> random.below(32);
  uint32_t *dIn;
  Results *dOut;
  CUDA(cudaMalloc(&dIn, in.size() * 4));
  CUDA(cudaMalloc(&dOut, n * sizeof(Results)));
  CUDA(cudaMemcpy(dIn, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  compute<<<(n + 127) / 128, 128>>>(dIn, dOut, n);
  std::vector<Results> out(n);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(Results), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const uint32_t *a = &in[8 * i], *b = a + 4;
    const Results &r = out[i];
    u128 x = 0, y = 0, sum = 0, difference = 0, product = 0;
    for (int j = 3; j >= 0; j--) {
      x = x << 32 | a[j];
      y = y << 32 | b[j];
      sum = sum << 32 | r.sum[j];
      difference = difference << 32 | r.difference[j];
      product = product << 32 | r.product[j];
    }
    int32_t sa = int32_t(a[0]), sb = int32_t(b[0]);
    uint64_t a64 = uint64_t(x), b64 = uint64_t(y);
    auto to24 = [](uint32_t v) { return int64_t(int32_t(v << 8) >> 8); };
    EXPECT(sum == x + y, "%d", i);
    EXPECT(difference == x - y, "%d", i);
    EXPECT(product == (u128)a64 * b64, "%d", i);
    EXPECT(r.low == a[0] * b[0], "%d", i);
    EXPECT(r.high == uint32_t((int64_t)sa * sb >> 32), "%d", i);
    EXPECT((r.wide[0] | (uint64_t)r.wide[1] << 32) == uint64_t((int64_t)sa * sb) + ((uint64_t)a[1] << 20), "%d", i);
    EXPECT(r.mul24 == uint32_t(to24(a[0]) * to24(b[0])), "%d", i);
    EXPECT(r.mul24high == uint32_t((uint64_t)(a[0] & 0xffffff) * (b[0] & 0xffffff) >> 16), "%d", i);
    EXPECT(r.sad == a[1] + (sa > sb ? a[0] - b[0] : b[0] - a[0]), "%d", i);
    EXPECT(r.bfe == extract(a[0], false, b[1] & 255, b[2] & 255), "%d", i);
    EXPECT(r.sbfe == extract(a[0], true, b[1] & 63, b[2] & 63), "%d: %x %u %u: %x", i, a[0], b[1] & 63, b[2] & 63,
           r.sbfe);
    EXPECT(r.bfi == insert(a[0], b[0], b[1] & 63, b[2] & 63), "%d", i);
    EXPECT(r.field64 == extract(a64, true, b[2] & 127, b[3] & 127), "%d", i);
    EXPECT(r.insert64 == insert(a64, b64, b[2] & 127, b[3] & 127), "%d", i);
    EXPECT(r.lop3 == ((a[0] & a[1]) | (a[0] & a[2]) | (a[1] & a[2])), "%d", i);
    EXPECT(r.xorAnd == ((a[0] & a[1]) ^ a[2]), "%d", i);
    uint64_t funnel = (uint64_t)a[1] << 32 | a[0];
    EXPECT(r.shfLeft == uint32_t(funnel << (b[0] & 31) >> 32), "%d", i);
    EXPECT(r.shfRight == ((b[0] & 63) >= 32 ? a[1] : uint32_t(funnel >> (b[0] & 63))), "%d", i);
    EXPECT(r.permute == permute(a[0], a[1], b[0]), "%d", i);
    EXPECT(r.rotated == uint32_t(funnel >> (8 * (b[0] & 3))), "%d", i);
    uint32_t dp4 = a[1], dp2 = a[1];
    for (int j = 0; j < 4; j++)
      dp4 += uint32_t(int8_t(a[0] >> (8 * j)) * int(uint8_t(b[0] >> (8 * j))));
    for (int j = 0; j < 2; j++)
      dp2 += uint32_t(int16_t(a[0] >> (16 * j)) * int(int8_t(b[0] >> (8 * (j + 2)))));
    EXPECT(r.dp4 == dp4, "%d", i);
    EXPECT(r.dp2 == dp2, "%d", i);
    EXPECT(r.popc == uint32_t(__builtin_popcount(a[0])), "%d", i);
    uint32_t clz = a[0] ? uint32_t(__builtin_clz(a[0])) : 32, folded = sa < 0 ? ~a[0] : a[0];
    EXPECT(r.clz == clz, "%d", i);
    EXPECT(r.find == (folded ? 31 - uint32_t(__builtin_clz(folded)) : ~0u), "%d", i);
    EXPECT(r.findShift == (a[0] ? clz : ~0u), "%d", i);
    EXPECT(r.reversed == __builtin_bitreverse32(a[0]), "%d", i);
    int64_t exact = (int64_t)sa + sb;
    EXPECT(r.saturated == uint32_t(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact), "%d", i);
    EXPECT(r.nth == nth(a[0], b[0] & 31, int(b[1] % 9) - 4), "%d", i);
    uint32_t steps = 0;
    for (uint32_t v = a[0] % 1000; v > 1 && steps < 40; steps++)
      v = v & 1 ? 3 * v + 1 : v >> 1;
    EXPECT(r.count == steps, "%d: %u, not %u", i, r.count, steps);
    EXPECT(r.predicate == (sa < sb ? 1u : a[0] > b[0] ? 6u : 2u), "%d", i);
  }
  printf("integers %016llx\n", (unsigned long long)checksum(out));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
