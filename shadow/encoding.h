/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shadow encodings: the meaning of a shadow byte for its block of 2^scale bytes (gasan 3.1).
 *
 * One definition for the host runtime, the device runtime and the pass: C11, C++17 and device code. `address` is a
 * device address. Blocks are aligned to their size. `accessible` bytes count from the block's start. `scale` is log2 of
 * the block's size, one of the three below. The functions keep no state, take no lock and cannot fail.
 *
 *   scale 7 (GASan-128): n = the first n bytes are accessible, 0..128.                       poison 0
 *   scale 8 (GASan-256): 0 = none, n = the first n+1 bytes; no block may have exactly 1.     poison 0
 *   scale 3 (ASan):      0 = all 8, n = the first n bytes, >= 0x80 = none.                   poison 0xfa */
#ifndef GASAN_SHADOW_ENCODING_H
#define GASAN_SHADOW_ENCODING_H

#include "base/abi.h"

#define GASAN_SCALE_8 3u
#define GASAN_SCALE_128 7u
#define GASAN_SCALE_256 8u

GASAN_ABI_FUNCTION uint8_t gasan_shadow_poison_value(uint32_t scale) {
  return scale == GASAN_SCALE_8 ? 0xfa : 0;
}

/* Returns the shadow byte of a block whose first `accessible` (0 .. 2^scale) bytes are accessible. Scale 8 cannot
 * encode 1 and encodes 0 instead, so the pool never makes such a block. */
GASAN_ABI_FUNCTION uint8_t gasan_shadow_encode(uint32_t scale, uint32_t accessible) {
  if (scale == GASAN_SCALE_8)
    return accessible == 8 ? 0 : accessible == 0 ? 0xfa : (uint8_t)accessible;
  if (scale == GASAN_SCALE_256)
    return accessible < 2 ? 0 : (uint8_t)(accessible - 1);
  return (uint8_t)accessible;
}

/* Returns how many bytes from the block's start are accessible. */
GASAN_ABI_FUNCTION uint32_t gasan_shadow_decode(uint32_t scale, uint8_t value) {
  if (scale == GASAN_SCALE_8)
    return value == 0 ? 8 : value >= 0x80 ? 0 : value;
  if (scale == GASAN_SCALE_256)
    return value == 0 ? 0 : value + 1u;
  return value;
}

/* Returns the offset of the address's shadow byte from the shadow's base. The mask is the shadow's size - 1
 * (gasan 3.2.2). */
GASAN_ABI_FUNCTION uint64_t gasan_shadow_offset(uint32_t scale, uint64_t mask, uint64_t address) {
  return (address >> scale) & mask;
}

/* Returns whether `width` bytes (1 or more) at `address` are accessible. They must be in one block, whose shadow byte
 * is `value`; an access that crosses blocks needs a call for each block. */
GASAN_ABI_FUNCTION int gasan_shadow_allows(uint32_t scale, uint8_t value, uint64_t address, uint32_t width) {
  uint32_t last = (uint32_t)(address & ((1u << scale) - 1)) + width;
  return last <= gasan_shadow_decode(scale, value);
}

#endif
