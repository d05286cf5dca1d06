/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table in which kernels look up views: texture and surface objects. The host writes it
 * (gasan_rt/launch/view_table.c), instrumented code searches it (gasan_rt/kernel/views.cu). Objects that are not in the
 * table are not checked: those of the driver API, and live textures. */
#ifndef GASAN_BASE_VIEWS_H
#define GASAN_BASE_VIEWS_H

#include "base/abi.h"

enum gasan_view_state {
  GASAN_VIEW_UNCHECKED = 0,
  GASAN_VIEW_LIVE = 1, /* a surface whose array the slot describes */
  GASAN_VIEW_DEAD = 2, /* the object was destroyed, or its array or memory was freed */
};

/* One sector of memory; the host writes a slot in one piece. */
struct gasan_view_slot {
  uint64_t key;    /* gasan_view_key; 0: the slot was never used */
  uint32_t state;  /* enum gasan_view_state */
  uint32_t number; /* of the object, from 1; unique in the process */
  uint32_t row;    /* bytes of a row of the array; UINT32_MAX: unknown */
  uint32_t height; /* rows, at least 1 */
  uint32_t depth;  /* slices, layers or faces, at least 1 */
  uint32_t texel;  /* bytes of an element; 0: unknown */
};

struct gasan_view_table {
  /* struct gasan_view_slot[mask + 1]; 0: none. The host writes a larger version beside the old one, which stays
   * readable. */
  uint64_t slots;
  uint64_t mask; /* a power of two, minus 1; at least one slot is always empty */
};

#define GASAN_VIEW_SURFACE_BIT (1ull << 63)

/* Returns the object's key in the table. CUDA numbers textures and surfaces separately. */
GASAN_ABI_FUNCTION uint64_t gasan_view_key(uint64_t object, uint32_t is_surface) {
  return object ? (is_surface ? object ^ GASAN_VIEW_SURFACE_BIT : object) : 0;
}

/* Returns the first slot to search, before masking. The search continues slot by slot. */
GASAN_ABI_FUNCTION uint64_t gasan_view_hash(uint64_t key) {
  return (key * 0x9e3779b97f4a7c15ull) >> 32;
}

#endif
