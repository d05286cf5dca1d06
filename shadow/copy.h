/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory that only grows, with the host's copy of it, which is authoritative (private to shadow/). No lock
 * inside. Without a device there is the host's copy alone. */
#ifndef GASAN_SHADOW_COPY_H
#define GASAN_SHADOW_COPY_H

#include "shadow/dirty.h"
#include "shadow/extent.h"

struct gasan_copy {
  struct gasan_extent extent;
  uint8_t *bytes; /* lazily backed, zero at first; the device has what was uploaded */
  struct gasan_dirty dirty;
};

/* size: as many bytes as there may ever be; device: or NULL. ERR_OUT_OF_HOST_MEMORY, or the device's status. */
struct gasan_status gasan_copy_create(struct gasan_copy *copy, struct gasan_device *device, uint64_t size);
/* All zero: nothing. */
void gasan_copy_destroy(struct gasan_copy *copy);

/* `count` elements from number `first` on, which the caller is going to change. They have memory. */
void *gasan_copy_change(struct gasan_copy *copy, uint64_t first, uint64_t count, uint64_t element);
/* By write_later, where the device has that. The status is the device's: what was not written stays to be uploaded. */
struct gasan_status gasan_copy_upload(struct gasan_copy *copy);

#endif
