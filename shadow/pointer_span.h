/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which pointers around a chunk are taken for the chunk's (arithmetic alone).
 *
 * Pointers may leave their chunk and come back, and the one past its end is a pointer like any other. So besides its
 * own blocks a chunk has those of its redzones, up to the middle of the gap to its neighbour: always the block of its
 * end, and the one before its start, if that is not the block of its neighbour's end. */
#ifndef GASAN_SHADOW_POINTER_SPAN_H
#define GASAN_SHADOW_POINTER_SPAN_H

#include <stdint.h>

struct gasan_pointer_span {
  uint64_t low, high;  /* multiples of a block; pointers from low on, below high */
  uint64_t base, size; /* the chunk's; base is a multiple of a block */
};

/* previous_end: where the user range before it ends, or the window's start; next_base: where the next chunk begins, or
 * the window's end. Both keep their distance: previous_end < base, base + size < next_base. Neither has claims where
 * there is no chunk. `redzone` bytes on each side are wanted. */
struct gasan_pointer_span gasan_pointer_span_of(uint64_t base, uint64_t size, uint64_t redzone, uint64_t previous_end,
                                                uint64_t next_base);

#endif
