/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bit sets in arrays of words (private to shadow/). */
#ifndef GASAN_SHADOW_BITS_H
#define GASAN_SHADOW_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool gasan_bit_get(const uint64_t *bits, uint64_t index) {
  return bits[index / 64] >> (index % 64) & 1;
}

static inline void gasan_bit_set(uint64_t *bits, uint64_t index) {
  bits[index / 64] |= 1ull << (index % 64);
}

/* Returns the mask of the bits of [first, end) in the word of `first`. The range is not empty. */
static inline uint64_t gasan_bits_mask(uint64_t first, uint64_t end) {
  uint64_t from = ~0ull << (first % 64);
  return first / 64 == end / 64 ? from & ~(~0ull << (end % 64)) : from;
}

static inline void gasan_bits_set(uint64_t *bits, uint64_t first, uint64_t end) {
  for (; first < end; first = (first / 64 + 1) * 64)
    bits[first / 64] |= gasan_bits_mask(first, end);
}

static inline void gasan_bits_clear(uint64_t *bits, uint64_t first, uint64_t end) {
  for (; first < end; first = (first / 64 + 1) * 64)
    bits[first / 64] &= ~gasan_bits_mask(first, end);
}

/* Returns the first set bit in [index, end), or end. */
static inline uint64_t gasan_bit_next(const uint64_t *bits, uint64_t index, uint64_t end) {
  while (index < end) {
    uint64_t word = bits[index / 64] >> (index % 64);
    if (word) {
      index += (uint64_t)__builtin_ctzll(word);
      return index < end ? index : end;
    }
    index = (index / 64 + 1) * 64;
  }
  return end;
}

#endif
