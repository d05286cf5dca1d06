/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integer arithmetic and bit operations. */
#include "device/cpu/helpers/helper.h"

HELPER uint16_t NVVM(mulhi_s)(uint16_t a, uint16_t b) {
  return (uint32_t)((int16_t)a * (int16_t)b) >> 16;
}
HELPER uint16_t NVVM(mulhi_us)(uint16_t a, uint16_t b) {
  return ((uint32_t)a * b) >> 16;
}
HELPER uint32_t NVVM(mulhi_i)(uint32_t a, uint32_t b) {
  return (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32;
}
HELPER uint32_t NVVM(mulhi_ui)(uint32_t a, uint32_t b) {
  return ((uint64_t)a * b) >> 32;
}
HELPER uint64_t NVVM(mulhi_ll)(uint64_t a, uint64_t b) {
  return (unsigned __int128)((__int128)(int64_t)a * (int64_t)b) >> 64;
}
HELPER uint64_t NVVM(mulhi_ull)(uint64_t a, uint64_t b) {
  return ((unsigned __int128)a * b) >> 64;
}

static inline HELPER int32_t signed_24(uint32_t value) {
  return (int32_t)(value << 8) >> 8;
}
HELPER uint32_t NVVM(mul24_i)(uint32_t a, uint32_t b) {
  return (uint32_t)((int64_t)signed_24(a) * signed_24(b));
}
HELPER uint32_t NVVM(mul24_ui)(uint32_t a, uint32_t b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}

#define SAD(name, type, compare)                                                                                       \
  HELPER type NVVM(sad_##name)(type a, type b, type c) {                                                               \
    return (type)(c + ((compare)a > (compare)b ? (type)(a - b) : (type)(b - a)));                                      \
  }
SAD(s, uint16_t, int16_t)
SAD(us, uint16_t, uint16_t)
SAD(i, uint32_t, int32_t)
SAD(ui, uint32_t, uint32_t)
SAD(ll, uint64_t, int64_t)
SAD(ull, uint64_t, uint64_t)

/* Each nibble of the selector selects a byte of {b,a}. If the nibble's top bit is set, the byte's sign is replicated
 * instead. */
HELPER uint32_t NVVM(prmt)(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = a | (uint64_t)b << 32;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t select = selector >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (select & 7)) & 255;
    if (select & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
HELPER uint32_t NVVM(prmt_f4e)(uint32_t a, uint32_t b, uint32_t n) {
  return (uint32_t)((a | (uint64_t)b << 32) >> (8 * (n & 3)));
}
HELPER uint32_t NVVM(prmt_b4e)(uint32_t a, uint32_t b, uint32_t n) {
  static const uint16_t selectors[] = {0x5670, 0x6701, 0x7012, 0x0123};
  return NVVM(prmt)(a, b, selectors[n & 3]);
}
HELPER uint32_t NVVM(prmt_rc8)(uint32_t a, uint32_t n) {
  return (a >> (8 * (n & 3)) & 255) * 0x01010101u;
}
HELPER uint32_t NVVM(prmt_rc16)(uint32_t a, uint32_t n) {
  return (a >> (16 * (n & 1)) & 0xffff) * 0x00010001u;
}
HELPER uint32_t NVVM(prmt_ecl)(uint32_t a, uint32_t n) {
  static const uint16_t selectors[] = {0x3210, 0x3211, 0x3222, 0x3333};
  return NVVM(prmt)(a, 0, selectors[n & 3]);
}
HELPER uint32_t NVVM(prmt_ecr)(uint32_t a, uint32_t n) {
  static const uint16_t selectors[] = {0x0000, 0x1110, 0x2210, 0x3210};
  return NVVM(prmt)(a, 0, selectors[n & 3]);
}

#define DOT_BYTE(signedness, word, i) ((int32_t)(signedness)((word) >> (8 * (i))))
#define DOT(name, type_a, half_a, type_b)                                                                              \
  HELPER uint32_t NVVM(idp4a_##name)(uint32_t a, uint32_t b, uint32_t c) {                                             \
    for (int i = 0; i < 4; ++i)                                                                                        \
      c += (uint32_t)(DOT_BYTE(type_a, a, i) * DOT_BYTE(type_b, b, i));                                                \
    return c;                                                                                                          \
  }                                                                                                                    \
  HELPER uint32_t NVVM(idp2a_##name)(uint32_t a, uint32_t b, bool high, uint32_t c) {                                  \
    for (int i = 0; i < 2; ++i)                                                                                        \
      c += (uint32_t)((int32_t)(half_a)(a >> (16 * i)) * DOT_BYTE(type_b, b, i + 2 * high));                           \
    return c;                                                                                                          \
  }
DOT(s_s, int8_t, int16_t, int8_t)
DOT(s_u, int8_t, int16_t, uint8_t)
DOT(u_s, uint8_t, uint16_t, int8_t)
DOT(u_u, uint8_t, uint16_t, uint8_t)

HELPER uint32_t NVVM(fshl_clamp_i32)(uint32_t high, uint32_t low, uint32_t n) {
  return n >= 32 ? low : (uint32_t)((((uint64_t)high << 32 | low) << n) >> 32);
}
HELPER uint32_t NVVM(fshr_clamp_i32)(uint32_t high, uint32_t low, uint32_t n) {
  return n >= 32 ? high : (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

/* The position of the leading significant bit, or the shift that brings it to the top; all ones if there is none. */
#define FIND_LEADING(suffix, type, signed_type, count_zeros, top)                                                      \
  HELPER uint32_t NVVM(flo_u_##suffix)(type value, bool shift_amount) {                                                \
    uint32_t zeros;                                                                                                    \
    if (value == 0)                                                                                                    \
      return ~0u;                                                                                                      \
    zeros = (uint32_t)count_zeros(value);                                                                              \
    return shift_amount ? zeros : top - zeros;                                                                         \
  }                                                                                                                    \
  HELPER uint32_t NVVM(flo_s_##suffix)(type value, bool shift_amount) {                                                \
    return NVVM(flo_u_##suffix)((signed_type)value < 0 ? ~value : value, shift_amount);                                \
  }
FIND_LEADING(i32, uint32_t, int32_t, __builtin_clz, 31)
FIND_LEADING(i64, uint64_t, int64_t, __builtin_clzll, 63)

HELPER uint32_t NVVM(bmsk_clamp)(uint32_t from, uint32_t width) {
  if (from >= 32 || width == 0)
    return 0;
  return (width >= 32 ? ~0u : (1u << width) - 1) << from;
}
HELPER uint32_t NVVM(bmsk_wrap)(uint32_t from, uint32_t width) {
  return ((1u << (width & 31)) - 1) << (from & 31);
}

HELPER uint32_t NVVM(zext_clamp)(uint32_t a, uint32_t n) {
  return n >= 32 ? a : a & ((1u << n) - 1);
}
HELPER uint32_t NVVM(zext_wrap)(uint32_t a, uint32_t n) {
  return a & ((1u << (n & 31)) - 1);
}
HELPER uint32_t NVVM(sext_clamp)(uint32_t a, uint32_t n) {
  if (n == 0)
    return 0;
  return n >= 32 ? a : (uint32_t)((int32_t)(a << (32 - n)) >> (32 - n));
}
HELPER uint32_t NVVM(sext_wrap)(uint32_t a, uint32_t n) {
  return NVVM(sext_clamp)(a, n & 31);
}

/* Returns the n-th set bit from `base` on, upwards for n > 0, downwards for n < 0; for n = 0, `base` if its bit is set.
 */
HELPER uint32_t NVVM(fns)(uint32_t mask, uint32_t base, uint32_t n) {
  int32_t wanted = (int32_t)n;
  int32_t step = wanted < 0 ? -1 : 1;
  uint32_t left = wanted == 0 ? 1 : (uint32_t)(wanted < 0 ? -(int64_t)wanted : wanted);
  if (wanted == 0)
    return base < 32 && (mask >> base & 1) ? base : ~0u;
  for (int32_t bit = (int32_t)base; bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0)
      return (uint32_t)bit;
  return ~0u;
}

/* PTX bfe and bfi. Only the lowest bytes of position and length are used. Field bits beyond the value are copies of the
 * value's sign, or 0. */
#define FIELD(bits, type, signed_type)                                                                                 \
  HELPER type NVVM(bfe_u##bits)(type a, uint32_t position, uint32_t length) {                                          \
    position &= 255;                                                                                                   \
    length &= 255;                                                                                                     \
    if (position >= bits)                                                                                              \
      return 0;                                                                                                        \
    return length >= bits ? a >> position : a >> position & (((type)1 << length) - 1);                                 \
  }                                                                                                                    \
  HELPER type NVVM(bfe_s##bits)(type a, uint32_t position, uint32_t length) {                                          \
    position &= 255;                                                                                                   \
    length &= 255;                                                                                                     \
    if (length == 0)                                                                                                   \
      return 0;                                                                                                        \
    if (position >= bits)                                                                                              \
      position = bits - 1;                                                                                             \
    uint32_t there = bits - position, unused = length < there ? bits - length : position;                              \
    return (type)((signed_type)(a << (length < there ? there - length : 0)) >> unused);                                \
  }                                                                                                                    \
  HELPER type NVVM(bfi_b##bits)(type a, type b, uint32_t position, uint32_t length) {                                  \
    position &= 255;                                                                                                   \
    length &= 255;                                                                                                     \
    if (position >= bits)                                                                                              \
      return b;                                                                                                        \
    type mask = (length >= bits ? ~(type)0 : ((type)1 << length) - 1) << position;                                     \
    return (b & ~mask) | (a << position & mask);                                                                       \
  }
FIELD(32, uint32_t, int32_t)
FIELD(64, uint64_t, int64_t)
