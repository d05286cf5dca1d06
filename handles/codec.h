/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles: what a program holds in place of device addresses where the pool may move (gasan 3.2.2; DESIGN 4).
 *
 * A handle's id_bits (the paper's k) most significant bits are an object's id, the rest is the offset in bytes. The
 * program does its pointer arithmetic on handles; as long as the result stays in the object (its end included) the id
 * stays the same. A step below offset 0 borrows from the id: the result names another id with an offset near
 * the greatest offset, where no object reaches unless it is nearly that large.
 *
 * Id 0 is "no object": with id_bits of at most 16, NULL and all plain device addresses have it and can be told from
 * handles. One definition for the host runtime, the device runtime and the pass: C11, C++17 and device code. id_bits is
 * between 1 and GASAN_HANDLE_MAX_ID_BITS, set at run time. Nothing here fails, keeps state or takes a lock. */
#ifndef GASAN_HANDLES_CODEC_H
#define GASAN_HANDLES_CODEC_H

#include "base/abi.h"

/* What device code knows of an id: where its object starts and how long it is. All 0: no live object has the id. */
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

/* Greatest id; ids go from 1 to it. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_max_id(uint32_t id_bits) {
  return ~(uint64_t)0 >> (64 - id_bits);
}

/* Greatest size of an object: its end is an offset still. (The paper allows one byte more; the end of such an object
 * would be the start of the next id.) */
GASAN_ABI_FUNCTION uint64_t gasan_handle_max_size(uint32_t id_bits) {
  return gasan_handle_offset_mask(id_bits);
}

/* id: at most gasan_handle_max_id; offset: at most the offset mask. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_make(uint32_t id_bits, uint64_t id, uint64_t offset) {
  return id << (64 - id_bits) | offset;
}

/* 0: not a handle, but a plain address. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_id(uint32_t id_bits, uint64_t handle) {
  return handle >> (64 - id_bits);
}

GASAN_ABI_FUNCTION uint64_t gasan_handle_offset(uint32_t id_bits, uint64_t handle) {
  return handle & gasan_handle_offset_mask(id_bits);
}

/* The device address that the handle stands for if its id's object starts at `base`. */
GASAN_ABI_FUNCTION uint64_t gasan_handle_address(uint32_t id_bits, uint64_t base, uint64_t handle) {
  return base + gasan_handle_offset(id_bits, handle);
}

#endif
