/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs hold under -fsanitize-gpu-address-tags: device addresses with a tag in their upper 8 bits
 * (cucatch 3.2).
 *
 *   0         no tag: host, managed and foreign memory, variables
 *   1..15     random: the entry that the page map has for the address says which tag its chunk has
 *   16..255   the BST entry itself, of the first 240 allocations
 *
 * The program does its arithmetic on tagged pointers, and all pointers into one allocation have one tag, so that they
 * compare and subtract as it expects. One definition for the host, the pass and the device: C11, C++17 and device code.
 * Nothing here fails, keeps state or takes a lock. */
#ifndef GASAN_SHADOW_TAGS_H
#define GASAN_SHADOW_TAGS_H

#include "shadow/bounds.h"

#define GASAN_TAG_SHIFT 56u /* no device has addresses that long */
#define GASAN_TAG_ADDRESS_MASK (((uint64_t)1 << GASAN_TAG_SHIFT) - 1)
#define GASAN_TAG_RANDOM 15u /* random tags go from 1 to this */
#define GASAN_TAG_DIRECT 16u
#define GASAN_TAG_GREATEST 255u
#define GASAN_TAG_DIRECT_COUNT (GASAN_TAG_GREATEST - GASAN_TAG_DIRECT + 1)

GASAN_ABI_FUNCTION uint32_t gasan_tag_of(uint64_t pointer) {
  return (uint32_t)(pointer >> GASAN_TAG_SHIFT);
}

GASAN_ABI_FUNCTION uint64_t gasan_tag_strip(uint64_t pointer) {
  return pointer & GASAN_TAG_ADDRESS_MASK;
}

GASAN_ABI_FUNCTION uint64_t gasan_tag_put(uint64_t address, uint32_t tag) {
  return gasan_tag_strip(address) | (uint64_t)tag << GASAN_TAG_SHIFT;
}

/* The index of the BST entry that the tag names; GASAN_BST_UNKNOWN: it names none. */
GASAN_ABI_FUNCTION uint32_t gasan_tag_entry(uint32_t tag) {
  return tag < GASAN_TAG_DIRECT ? GASAN_BST_UNKNOWN : tag - GASAN_TAG_DIRECT + GASAN_BST_FIRST;
}

/* The tag that names the entry; 0: it has too great an index. */
GASAN_ABI_FUNCTION uint32_t gasan_tag_of_entry(uint32_t index) {
  return index < GASAN_BST_FIRST || index - GASAN_BST_FIRST >= GASAN_TAG_DIRECT_COUNT
             ? 0
             : index - GASAN_BST_FIRST + GASAN_TAG_DIRECT;
}

#endif
