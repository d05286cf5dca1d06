/* Bounds of local and shared memory that a generic pointer points into. */
#ifndef GASAN_RT_KERNEL_FRAMES_H
#define GASAN_RT_KERNEL_FRAMES_H

#include "gasan_rt/kernel/device.h"
#include "shadow/bounds.h"

GASAN_INLINE struct gasan_bounds gasan_not_checked(void) {
  return gasan_bounds_make(0, ~(uint64_t)0, GASAN_OBJECT_MEMORY);
}

extern "C" {
/* Of a pointer into local memory. Only in modules where the address of a local variable gets into memory. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_local(uint64_t pointer);
}

#endif
