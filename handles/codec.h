/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles: the program's pointers, in place of device addresses, where the pool may move (gasan 3.2.2).
 *
 * The id_bits most significant bits of a handle (k in the paper) are an object's id; the rest is the offset in bytes.
 * The program's pointer arithmetic works on handles. While the result is in the object, or at its end, the id stays the
 * same. A step below offset 0 borrows from the id. The result then has another id and nearly the greatest offset, which
 * is outside that object unless it has nearly the greatest size.
 *
 * Id 0 means "no object". If id_bits is at most 16, NULL and all plain device addresses have id 0, so they differ from
 * handles. One definition for the host runtime, the device runtime and the pass: C11, C++17 and device code. id_bits is
 * set at run time, from 1 to GASAN_HANDLE_MAX_ID_BITS. The functions keep no state, take no lock and cannot fail. */
#ifndef GASAN_HANDLES_CODEC_H
#define GASAN_HANDLES_CODEC_H

#include "base/abi.h"

/* Device code's data about an id: address and size of its object. Both are 0 if no live object has the id. */
struct gasan_handle_entry {
  uint64_t address, size;
};

/* Device and host addresses have 48 bits: with more id bits than this, a plain address would look like a handle. */
#define GASAN_HANDLE_MOST_BITS 16u

#define GASAN_HANDLE_MAX_ID_BITS 32u
#define GASAN_HANDLE_DEFAULT_ID_BITS 16u

GASAN_ABI_FUNCTION uint64_t gasan_handle_offset_mask(uint32_t id_bits) {
  return ~(uint64_t)0 >> id_bits;
}

/* Returns the greatest id; ids begin at 1. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_max_id(uint32_t id_bits) {
  return ~(uint64_t)0 >> (64 - id_bits);
}

/* Returns the greatest size of an object, whose end is still an offset. (The paper allows one byte more, but the end of
 * such an object would be the start of the next id.) */
GASAN_ABI_FUNCTION uint64_t gasan_handle_max_size(uint32_t id_bits) {
  return gasan_handle_offset_mask(id_bits);
}

/* Returns a handle. The id is at most gasan_handle_max_id, the offset at most the offset mask. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_make(uint32_t id_bits, uint64_t id, uint64_t offset) {
  return id << (64 - id_bits) | offset;
}

/* Returns the id; 0: not a handle, but a plain address. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_id(uint32_t id_bits, uint64_t handle) {
  return handle >> (64 - id_bits);
}

GASAN_ABI_FUNCTION uint64_t gasan_handle_offset(uint32_t id_bits, uint64_t handle) {
  return handle & gasan_handle_offset_mask(id_bits);
}

/* Returns the device address for the handle, if its object starts at `base`. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_address(uint32_t id_bits, uint64_t base, uint64_t handle) {
  return base + gasan_handle_offset(id_bits, handle);
}

#endif
