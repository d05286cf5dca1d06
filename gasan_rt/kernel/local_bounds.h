/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bounds of generic pointers into local memory, and the bounds of memory that is not checked. */
#ifndef GASAN_RT_KERNEL_LOCAL_BOUNDS_H
#define GASAN_RT_KERNEL_LOCAL_BOUNDS_H

#include "gasan_rt/kernel/device_code.h"
#include "shadow/bounds.h"

GASAN_INLINE struct gasan_bounds gasan_not_checked(void) {
  return gasan_bounds_make(0, ~(uint64_t)0, GASAN_OBJECT_MEMORY);
}

/* Returns the bounds of a pointer to no known memory: all addresses where memory may be. */
GASAN_INLINE struct gasan_bounds gasan_unknown_bounds(void) {
  return gasan_bounds_make(GASAN_NULL_PAGE, (1ull << GASAN_ADDRESS_BITS) - GASAN_NULL_PAGE, GASAN_OBJECT_UNKNOWN);
}

extern "C" {
/* Records a pointer to no known memory. The record is used if the device faults on the pointer (report.cu). */
GASAN_COLD_RETURNS void __gasan_note_unknown(uint64_t pointer, uint32_t site);
/* Returns the bounds of a pointer into local memory. Exists only in modules that store addresses of local variables to
 * memory. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_local(uint64_t pointer);
}

#endif
