/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bounds of local and shared memory that a generic pointer points into. */
#ifndef GASAN_RT_KERNEL_FRAMES_H
#define GASAN_RT_KERNEL_FRAMES_H

#include "gasan_rt/kernel/device_code.h"
#include "shadow/bounds.h"

GASAN_INLINE struct gasan_bounds gasan_not_checked(void) {
  return gasan_bounds_make(0, ~(uint64_t)0, GASAN_OBJECT_MEMORY);
}

/* Of a pointer to no known memory: where memory can be at all. */
GASAN_INLINE struct gasan_bounds gasan_unknown_bounds(void) {
  return gasan_bounds_make(GASAN_NULL_PAGE, (1ull << GASAN_ADDRESS_BITS) - GASAN_NULL_PAGE, GASAN_OBJECT_UNKNOWN);
}

extern "C" {
/* Notes such a pointer, for the case that the device cannot touch what is there (report.cu). */
GASAN_COLD_RETURNS void __gasan_note_unknown(uint64_t pointer, uint32_t site);
/* Of a pointer into local memory. Only in modules where the address of a local variable gets into memory. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_local(uint64_t pointer);
}

#endif
