/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reserved device addresses with memory at their beginning, more of it as it is needed: what is there never moves
 * (private to shadow/). No lock inside. */
#ifndef GASAN_SHADOW_EXTENT_H
#define GASAN_SHADOW_EXTENT_H

#include "device/device.h"

struct gasan_extent {
  struct gasan_device *device; /* NULL: no device's memory, it is only counted */
  uint64_t base, size, mapped;
};

/* size: as many bytes as there may ever be. The status is the device's. */
struct gasan_status gasan_extent_create(struct gasan_extent *extent, struct gasan_device *device, uint64_t size);
void gasan_extent_destroy(struct gasan_extent *extent);

/* Memory under the first `size` bytes at least; what is new there is undefined. ERR_OUT_OF_MEMORY: there may not be as
 * many, or the device has no memory; nothing changed. ERR_DEVICE. */
struct gasan_status gasan_extent_grow(struct gasan_extent *extent, uint64_t size);

#endif
