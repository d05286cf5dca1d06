/* The helpers of the CPU device for integers and their bits, as linked into every image, against straightforward
 * references. */
#include <greatest.h>
#include <stdlib.h>

#include "cpu_helpers.h"

GREATEST_MAIN_DEFS();

uint16_t NVVM(mulhi_s)(uint16_t, uint16_t), NVVM(mulhi_us)(uint16_t, uint16_t);
uint32_t NVVM(mulhi_i)(uint32_t, uint32_t), NVVM(mulhi_ui)(uint32_t, uint32_t), NVVM(mul24_i)(uint32_t, uint32_t);
uint32_t NVVM(mul24_ui)(uint32_t, uint32_t), NVVM(sad_i)(uint32_t, uint32_t, uint32_t),
    NVVM(sad_ui)(uint32_t, uint32_t, uint32_t);
uint64_t NVVM(mulhi_ll)(uint64_t, uint64_t), NVVM(mulhi_ull)(uint64_t, uint64_t);
uint64_t NVVM(sad_ll)(uint64_t, uint64_t, uint64_t), NVVM(sad_ull)(uint64_t, uint64_t, uint64_t);
uint16_t NVVM(sad_s)(uint16_t, uint16_t, uint16_t), NVVM(sad_us)(uint16_t, uint16_t, uint16_t);

/* The upper half of a product, by schoolbook multiplication of 32-bit digits. */
static uint64_t high_product(uint64_t a, uint64_t b) {
  uint64_t low = (a & 0xffffffff) * (b & 0xffffffff), middle1 = (a >> 32) * (b & 0xffffffff) + (low >> 32);
  uint64_t middle2 = (a & 0xffffffff) * (b >> 32) + (middle1 & 0xffffffff);
  return (a >> 32) * (b >> 32) + (middle1 >> 32) + (middle2 >> 32);
}
static int64_t extended_24(uint32_t a) {
  return (a & 0x800000) ? (int64_t)(a & 0xffffff) - 0x1000000 : (int64_t)(a & 0xffffff);
}

TEST products(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    uint64_t a = random_bits() >> (random_bits() & 63), b = random_bits() >> (random_bits() & 63), c = random_bits();
    uint32_t x = (uint32_t)random_bits(), y = (uint32_t)random_bits();
    uint64_t high = high_product(a, ~b); /* signed: each negative factor takes the other one off */
    ASSERT_EQ(high_product(a, b), NVVM(mulhi_ull)(a, b));
    ASSERT_EQ(high - ((int64_t)~b < 0 ? a : 0) - ((int64_t)a < 0 ? ~b : 0), NVVM(mulhi_ll)(a, ~b));
    ASSERT_EQ((uint32_t)((uint64_t)x * y >> 32), NVVM(mulhi_ui)(x, y));
    ASSERT_EQ((uint32_t)(((int64_t)(int32_t)x * (int32_t)y) >> 32), NVVM(mulhi_i)(x, y));
    ASSERT_EQ((uint16_t)((uint32_t)((int16_t)x * (int16_t)y) >> 16), NVVM(mulhi_s)((uint16_t)x, (uint16_t)y));
    ASSERT_EQ((uint16_t)((uint32_t)(uint16_t)x * (uint16_t)y >> 16), NVVM(mulhi_us)((uint16_t)x, (uint16_t)y));
    ASSERT_EQ((uint32_t)(extended_24(x) * extended_24(y)), NVVM(mul24_i)(x, y));
    ASSERT_EQ((uint32_t)((uint64_t)(x & 0xffffff) * (y & 0xffffff)), NVVM(mul24_ui)(x, y));
    int64_t distance = (int64_t)(int32_t)x - (int32_t)y;
    ASSERT_EQ((uint32_t)c + (uint32_t)(distance < 0 ? -distance : distance), NVVM(sad_i)(x, y, (uint32_t)c));
    distance = (int64_t)x - (int64_t)y;
    ASSERT_EQ((uint32_t)c + (uint32_t)(distance < 0 ? -distance : distance), NVVM(sad_ui)(x, y, (uint32_t)c));
    ASSERT_EQ(c + (a > b ? a - b : b - a), NVVM(sad_ull)(a, b, c));
    ASSERT_EQ(c + ((int64_t)a > (int64_t)b ? a - b : b - a), NVVM(sad_ll)(a, b, c));
    ASSERT_EQ((uint16_t)(c + (uint64_t)abs((int16_t)x - (int16_t)y)),
              NVVM(sad_s)((uint16_t)x, (uint16_t)y, (uint16_t)c));
    ASSERT_EQ((uint16_t)(c + (uint64_t)abs((uint16_t)x - (uint16_t)y)),
              NVVM(sad_us)((uint16_t)x, (uint16_t)y, (uint16_t)c));
  }
  PASS();
}

uint32_t NVVM(prmt)(uint32_t, uint32_t, uint32_t), NVVM(prmt_f4e)(uint32_t, uint32_t, uint32_t);
uint32_t NVVM(prmt_b4e)(uint32_t, uint32_t, uint32_t), NVVM(prmt_rc8)(uint32_t, uint32_t),
    NVVM(prmt_ecl)(uint32_t, uint32_t);
uint32_t NVVM(prmt_ecr)(uint32_t, uint32_t), NVVM(prmt_rc16)(uint32_t, uint32_t);
uint32_t NVVM(fshl_clamp_i32)(uint32_t, uint32_t, uint32_t), NVVM(fshr_clamp_i32)(uint32_t, uint32_t, uint32_t);
uint32_t NVVM(bmsk_clamp)(uint32_t, uint32_t), NVVM(bmsk_wrap)(uint32_t, uint32_t),
    NVVM(fns)(uint32_t, uint32_t, uint32_t);
uint32_t NVVM(sext_clamp)(uint32_t, uint32_t), NVVM(zext_clamp)(uint32_t, uint32_t),
    NVVM(sext_wrap)(uint32_t, uint32_t);
uint32_t NVVM(flo_u_i32)(uint32_t, bool), NVVM(flo_s_i32)(uint32_t, bool), NVVM(flo_s_i64)(uint64_t, bool);
uint32_t NVVM(idp4a_s_u)(uint32_t, uint32_t, uint32_t), NVVM(idp2a_u_s)(uint32_t, uint32_t, bool, uint32_t);

static bool bit(uint64_t word, int position) {
  return position >= 0 && position < 64 && (word >> position & 1);
}
static int leading(uint64_t word, int top, bool other) {
  while (top >= 0 && bit(word, top) == other)
    --top;
  return top;
}

TEST bit_fields(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    uint32_t a = (uint32_t)random_bits(), b = (uint32_t)random_bits(), c = (uint32_t)random_bits();
    uint32_t n = (uint32_t)random_bits() % 70, from = (uint32_t)random_bits() % 40, want = 0, left = 0, right = 0;
    uint8_t bytes[8];
    memcpy(bytes, &a, 4);
    memcpy(bytes + 4, &b, 4);
    for (int k = 0; k < 4; ++k) {
      uint8_t byte = bytes[c >> (4 * k) & 7];
      want |= (uint32_t)(bit(c, 4 * k + 3) ? (byte & 128 ? 255 : 0) : byte) << (8 * k);
    }
    ASSERT_EQ(want, NVVM(prmt)(a, b, c));
    for (int k = 0; k < 32; ++k) {
      int up = k - (int)(n > 32 ? 32 : n), down = k + (int)(n > 32 ? 32 : n);
      left |= (uint32_t)(up < 0 ? bit(b, up + 32) : bit(a, up)) << k;
      right |= (uint32_t)(down > 31 ? bit(a, down - 32) : bit(b, down)) << k;
    }
    ASSERT_EQ(left, NVVM(fshl_clamp_i32)(a, b, n));
    ASSERT_EQ(right, NVVM(fshr_clamp_i32)(a, b, n));
    want = 0;
    for (int k = 0; k < 32; ++k)
      want |= (uint32_t)(k >= (int)from && k < (int)(from + n)) << k;
    ASSERT_EQ(want, NVVM(bmsk_clamp)(from, n));
    want = 0;
    for (int k = 0; k < 32; ++k)
      want |= (uint32_t)(k >= (int)(from % 32) && k < (int)(from % 32 + n % 32)) << k;
    ASSERT_EQ(want, NVVM(bmsk_wrap)(from, n));
    want = left = 0;
    for (int k = 0; k < 32; ++k) {
      want |= (uint32_t)(n != 0 && bit(a, k < (int)n ? k : (int)n - 1)) << k;
      left |= (uint32_t)(k < (int)n && bit(a, k)) << k;
    }
    ASSERT_EQ(want, NVVM(sext_clamp)(a, n));
    ASSERT_EQ(left, NVVM(zext_clamp)(a, n));
    ASSERT_EQ(NVVM(sext_clamp)(a, n & 31), NVVM(sext_wrap)(a, n));
    a >>= random_bits() & 31;
    ASSERT_EQ((uint32_t)leading(a, 31, false), NVVM(flo_u_i32)(a, false));
    ASSERT_EQ((uint32_t)leading(a, 31, bit(a, 31)), NVVM(flo_s_i32)(a, false));
    ASSERT_EQ((uint32_t)leading((uint64_t)a << 32 | b, 63, bit(a, 31)), NVVM(flo_s_i64)((uint64_t)a << 32 | b, false));
    ASSERT_EQ(a == 0 ? ~0u : 31 - (uint32_t)leading(a, 31, false), NVVM(flo_u_i32)(a, true));
    int wanted = (int)(random_bits() % 21) - 10, position = (int)from, found = -1;
    if (wanted == 0)
      found = bit(b, position) ? position : -1;
    else
      for (int k = position, count = abs(wanted); k >= 0 && k < 32 && found < 0; k += wanted < 0 ? -1 : 1)
        if (bit(b, k) && --count == 0)
          found = k;
    ASSERT_EQ_FMT(from < 32 ? (uint32_t)found : ~0u, NVVM(fns)(b, from, (uint32_t)wanted), "%x");
    want = left = c;
    for (int k = 0; k < 4; ++k)
      want += (uint32_t)((int8_t)(a >> 8 * k) * (uint8_t)(b >> 8 * k));
    for (int k = 0; k < 2; ++k)
      left += (uint32_t)((uint16_t)(a >> 16 * k) * (int8_t)(b >> (8 * k + 16)));
    ASSERT_EQ(want, NVVM(idp4a_s_u)(a, b, c));
    ASSERT_EQ(left, NVVM(idp2a_u_s)(a, b, true, c));
  }
  /* PTX ISA's table of prmt's special modes, as selectors */
  static const uint32_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543}, b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  static const uint32_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333}, ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
  static const uint32_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210}, rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  const uint32_t a = 0x83c2a150, b = 0x97e6d5f4;
  for (uint32_t n = 0; n < 8; ++n) {
    ASSERT_EQ(NVVM(prmt)(a, b, f4e[n & 3]), NVVM(prmt_f4e)(a, b, n));
    ASSERT_EQ(NVVM(prmt)(a, b, b4e[n & 3]), NVVM(prmt_b4e)(a, b, n));
    ASSERT_EQ(NVVM(prmt)(a, b, rc8[n & 3]), NVVM(prmt_rc8)(a, n));
    ASSERT_EQ(NVVM(prmt)(a, b, ecl[n & 3]), NVVM(prmt_ecl)(a, n));
    ASSERT_EQ(NVVM(prmt)(a, b, ecr[n & 3]), NVVM(prmt_ecr)(a, n));
    ASSERT_EQ(NVVM(prmt)(a, b, rc16[n & 3]), NVVM(prmt_rc16)(a, n));
  }
  PASS();
}

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(products);
  RUN_TEST(bit_fields);
  GREATEST_MAIN_END();
}
