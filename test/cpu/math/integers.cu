// Integer intrinsics: products' upper halves, 24-bit products, sums of absolute differences, averages, bit reversal and
// counts, byte permutation, funnel shifts, the n-th set bit, dot products; 128-bit integers; division by what is known
// at run time only.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const size_t count = 20000;
enum { Words = 36, Longs = 20 };
struct Row {
  unsigned words[Words];
  unsigned long long longs[Longs];
};
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;

__global__ void evaluate(const u64 *pa, const u64 *pb, Row *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  u64 la = pa[i], lb = pb[i];
  unsigned a = unsigned(la), b = unsigned(lb), c = unsigned(la >> 32);
  int n = int(lb >> 32);
  u128 wide = (u128)la << 64 | lb, divisor = (u128)(lb >> 20) << 32 | (a | 1);
  Row r = {{unsigned(__mulhi(int(a), int(b))),
            __umulhi(a, b),
            unsigned(__mul24(int(a), int(b))),
            __umul24(a, b),
            __sad(int(a), int(b), c),
            __usad(a, b, c),
            unsigned(__hadd(int(a), int(b))),
            unsigned(__rhadd(int(a), int(b))),
            __uhadd(a, b),
            __urhadd(a, b),
            __brev(a),
            unsigned(__clz(int(a))),
            unsigned(__ffs(int(a))),
            unsigned(__popc(a)),
            __byte_perm(a, b, c),
            __funnelshift_l(a, b, c),
            __funnelshift_r(a, b, c),
            __funnelshift_lc(a, b, c & 63),
            __funnelshift_rc(a, b, c & 63),
            unsigned(__fns(a, c & 31, n % 9)),
            unsigned(__ffsll((long long)la)),
            unsigned(__clzll((long long)la)),
            unsigned(__popcll(la)),
            unsigned(__dp4a(int(a), int(b), int(c))),
            __dp4a(a, b, c),
            unsigned(__dp2a_lo(int(a), int(b), int(c))),
            __dp2a_hi(a, b, c),
            unsigned(int(a) / (n | 1)),
            unsigned(int(a) % (n | 1)),
            a / (b | 1),
            a % (b | 1),
            unsigned(max(int(a), int(b))),
            min(a, b),
            unsigned(abs(int(a | 1))),
            unsigned((short(a) / (short(b) | 1)) & 0xffff),
            unsigned((unsigned char)(a) % ((unsigned char)(b) | 1))},
           {__umul64hi(la, lb),
            (u64)__mul64hi((long long)la, (long long)lb),
            __brevll(la),
            (u64)((long long)la / ((long long)lb | 1)),
            (u64)((long long)la % ((long long)lb | 1)),
            la / (lb | 1),
            la % (lb | 1),
            (u64)llabs((long long)la | 1),
            (u64)max((long long)la, (long long)lb),
            min(la, lb),
            (u64)(wide / divisor),
            (u64)(wide % divisor >> 64),
            (u64)(wide % divisor),
            (u64)((i128)wide / (i128)(n | 1)),
            (u64)((i128)wide % (i128)(n | 1)),
            (u64)(wide * divisor >> 64),
            (u64)(wide >> (c & 127)),
            (u64)((i128)wide >> (c & 127)),
            (u64)(wide << (c & 127) >> 64),
            (u64)((i128)wide < (i128)divisor)}};
  out[i] = r;
}

static unsigned reversed(unsigned a) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (a >> i & 1) << (31 - i);
  return result;
}
static unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) { // only the lower three bits of each selector count for __byte_perm
    unsigned from = selector >> (4 * i) & 7;
    result |= ((from < 4 ? a : b) >> (8 * (from & 3)) & 255) << (8 * i);
  }
  return result;
}
static unsigned nthSet(unsigned mask, int base, int offset) {
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int left = std::abs(offset);
  for (int k = base; k >= 0 && k < 32; k += offset < 0 ? -1 : 1)
    if ((mask >> k & 1) && --left == 0)
      return k;
  return ~0u;
}
static int dot4(int a, int b, int c) {
  for (int k = 0; k < 4; ++k)
    c += int((signed char)(a >> 8 * k)) * (signed char)(b >> 8 * k);
  return c;
}
static unsigned dot4(unsigned a, unsigned b, unsigned c) {
  for (int k = 0; k < 4; ++k)
    c += (a >> 8 * k & 255) * (b >> 8 * k & 255);
  return c;
}

int main() {
  Random random(41);
  std::vector<u64> a(count), b(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = ((u64)random.next() << 32 | random.next()) >> (i % 3 ? 0 : random.below(64));
    b[i] = ((u64)random.next() << 32 | random.next()) >> (i % 5 ? 0 : random.below(64));
  }
  a[0] = b[0] = a[1] = 0, b[1] = ~0ull, a[2] = b[2] = 0x8000000080000000ull, a[3] = b[3] = ~0ull, a[4] = 1ull << 63;
  Buffer<u64> pa(a), pb(b);
  Buffer<Row> out(count);
  evaluate<<<(count + 127) / 128, 128>>>(pa, pb, out);
  std::vector<Row> have = out.host();
  for (size_t i = 0; i < count; ++i) {
    u64 la = a[i], lb = b[i];
    unsigned x = unsigned(la), y = unsigned(lb), c = unsigned(la >> 32);
    int n = int(lb >> 32), sx = int(x), sy = int(y), sc = int(c), s = c & 31, clamped = std::min(c & 63, 32u);
    u64 both = (u64)y << 32 | x;
    auto signed24 = [](unsigned v) { return (long long)(int(v << 8) >> 8); };
    u128 wide = (u128)la << 64 | lb, divisor = (u128)(lb >> 20) << 32 | (x | 1);
    long long sla = (long long)la, slb = (long long)lb;
    bool overflow = sx == INT32_MIN && (n | 1) == -1, longOverflow = sla == INT64_MIN && (slb | 1) == -1;
    auto high = [](i128 v) { return (u64)(v >> 64); };
    auto distance = [](long long v) { return unsigned(v < 0 ? -v : v); };
    int dot2Low = sc + int(short(sx)) * (signed char)sy + int(short(sx >> 16)) * (signed char)(sy >> 8);
    unsigned dot2High = c + (x & 0xffff) * (y >> 16 & 255) + (x >> 16) * (y >> 24);
    Row want = {{unsigned((long long)sx * sy >> 32),
                 unsigned((u64)x * y >> 32),
                 unsigned(signed24(x) * signed24(y)),
                 unsigned((u64)(x & 0xffffff) * (y & 0xffffff)),
                 c + distance((long long)sx - sy),
                 c + distance((long long)x - y),
                 unsigned(((long long)sx + sy) >> 1),
                 unsigned(((long long)sx + sy + 1) >> 1),
                 unsigned(((u64)x + y) >> 1),
                 unsigned(((u64)x + y + 1) >> 1),
                 reversed(x),
                 x ? unsigned(__builtin_clz(x)) : 32,
                 unsigned(__builtin_ffs(sx)),
                 unsigned(__builtin_popcount(x)),
                 permuted(x, y, c),
                 unsigned(both << s >> 32),
                 unsigned(both >> s),
                 clamped == 32 ? x : unsigned(both << clamped >> 32),
                 clamped == 32 ? y : unsigned(both >> clamped),
                 nthSet(x, s, n % 9),
                 unsigned(__builtin_ffsll(sla)),
                 la ? unsigned(__builtin_clzll(la)) : 64,
                 unsigned(__builtin_popcountll(la)),
                 unsigned(dot4(sx, sy, sc)),
                 dot4(x, y, c),
                 unsigned(dot2Low),
                 dot2High,
                 overflow ? x : unsigned(sx / (n | 1)),
                 overflow ? 0 : unsigned(sx % (n | 1)),
                 x / (y | 1),
                 x % (y | 1),
                 unsigned(std::max(sx, sy)),
                 std::min(x, y),
                 unsigned(std::abs(sx | 1)),
                 unsigned((short(x) / (short(y) | 1)) & 0xffff),
                 unsigned((unsigned char)(x) % ((unsigned char)(y) | 1))},
                {(u64)((u128)la * lb >> 64),
                 high((i128)sla * slb),
                 (u64)reversed(x) << 32 | reversed(c),
                 longOverflow ? la : (u64)(sla / (slb | 1)),
                 longOverflow ? 0 : (u64)(sla % (slb | 1)),
                 la / (lb | 1),
                 la % (lb | 1),
                 (u64)std::llabs(sla | 1),
                 (u64)std::max(sla, slb),
                 std::min(la, lb),
                 (u64)(wide / divisor),
                 (u64)(wide % divisor >> 64),
                 (u64)(wide % divisor),
                 (u64)((i128)wide / (i128)(n | 1)),
                 (u64)((i128)wide % (i128)(n | 1)),
                 (u64)(wide * divisor >> 64),
                 (u64)(wide >> (c & 127)),
                 (u64)((i128)wide >> (c & 127)),
                 (u64)(wide << (c & 127) >> 64),
                 (u64)((i128)wide < (i128)divisor)}};
    for (int k = 0; k < Words; ++k)
      EXPECT(have[i].words[k] == want.words[k] || (overflow && (k == 27 || k == 28)),
             "word %d of %016llx %016llx: %08x, not %08x", k, la, lb, have[i].words[k], want.words[k]);
    for (int k = 0; k < Longs; ++k)
      EXPECT(have[i].longs[k] == want.longs[k] || (longOverflow && (k == 3 || k == 4)),
             "long %d of %016llx %016llx: %016llx, not %016llx", k, la, lb, have[i].longs[k], want.longs[k]);
    if (overflow)
      have[i].words[27] = have[i].words[28] = 0;
    if (longOverflow)
      have[i].longs[3] = have[i].longs[4] = 0;
  }
  printf("integers %016llx\n", (unsigned long long)checksum(have));
  return passed();
}
