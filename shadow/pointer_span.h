/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defines which pointers around a chunk count as the chunk's (arithmetic only).
 *
 * Pointers may leave their chunk and come back, and a pointer past its end is valid. So a chunk's span has the blocks
 * of the chunk and those of its redzones, up to the middle of the gap to its neighbour. It always has the block of the
 * chunk's end. It has the block before the chunk's start, unless that is the block of the neighbour's end. Blocks are
 * those of the page map, or smaller ones where spans are only searched. */
#ifndef GASAN_SHADOW_POINTER_SPAN_H
#define GASAN_SHADOW_POINTER_SPAN_H

#include <stdint.h>

#include "shadow/bounds.h"

struct gasan_pointer_span {
  uint64_t low, high;  /* multiples of a block: the pointers in [low, high) */
  uint64_t base, size; /* of the chunk; base is a multiple of a block */
};

#define GASAN_SPAN_BLOCK_OF_MAP (1u << GASAN_MAP_BLOCK_SHIFT)

/* Returns the span of a chunk that wants `redzone` bytes on each side. `block`: bytes, a power of two. previous_end is
 * the end of the user range before it, or the window's start; next_base is the start of the next chunk, or the window's
 * end. previous_end < base, and base + size < next_base. The window's edges limit the span like neighbours. */
struct gasan_pointer_span gasan_pointer_span_of(uint64_t base, uint64_t size, uint64_t redzone, uint64_t previous_end,
                                                uint64_t next_base, uint32_t block);

#endif
