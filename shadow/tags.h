/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pointers of programs compiled with -fsanitize-gpu-address-tags: device addresses with a tag in their upper 8 bits
 * (cucatch 3.2).
 *
 *   0         no tag: host, managed and foreign memory, variables
 *   1..15     random: the entry in the page map for the address has the tag of its chunk
 *   16..255   the BST entry itself, for the first 240 allocations
 *
 * The program's pointer arithmetic works on tagged pointers. All pointers into one allocation have one tag, so
 * comparisons and subtractions give the expected results. One definition for the host, the pass and the device: C11,
 * C++17 and device code. The functions keep no state, take no lock and cannot fail. */
#ifndef GASAN_SHADOW_TAGS_H
#define GASAN_SHADOW_TAGS_H

#include "shadow/bounds.h"

#define GASAN_TAG_SHIFT 56u /* the addresses of all devices are shorter */
#define GASAN_TAG_ADDRESS_MASK (((uint64_t)1 << GASAN_TAG_SHIFT) - 1)
#define GASAN_TAG_RANDOM 15u /* random tags are 1 to this number */
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

/* Returns the index of the BST entry that the tag names; GASAN_BST_UNKNOWN: none. */
GASAN_ABI_FUNCTION uint32_t gasan_tag_entry(uint32_t tag) {
  return tag < GASAN_TAG_DIRECT ? GASAN_BST_UNKNOWN : tag - GASAN_TAG_DIRECT + GASAN_BST_FIRST;
}

/* Returns the tag that names the entry; 0: the index is too great for a tag. */
GASAN_ABI_FUNCTION uint32_t gasan_tag_of_entry(uint32_t index) {
  return index < GASAN_BST_FIRST || index - GASAN_BST_FIRST >= GASAN_TAG_DIRECT_COUNT
             ? 0
             : index - GASAN_BST_FIRST + GASAN_TAG_DIRECT;
}

#endif
