/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A reserved range of device addresses with memory at its start, which grows as needed and never moves (private to
 * shadow/). No lock inside. */
#ifndef GASAN_SHADOW_EXTENT_H
#define GASAN_SHADOW_EXTENT_H

#include "device/device.h"

struct gasan_extent {
  struct gasan_device *device; /* NULL: there is no memory, its size is only counted */
  uint64_t base, size, mapped;
};

/* Reserves addresses for at most `size` bytes. The status is the device's. */
struct gasan_status gasan_extent_create(struct gasan_extent *extent, struct gasan_device *device, uint64_t size);
void gasan_extent_destroy(struct gasan_extent *extent);

/* Maps memory under at least the first `size` bytes. New bytes are undefined. ERR_OUT_OF_MEMORY: the size is greater
 * than the extent, or the device has no memory; nothing changed. ERR_DEVICE. */
struct gasan_status gasan_extent_grow(struct gasan_extent *extent, uint64_t size);

#endif
