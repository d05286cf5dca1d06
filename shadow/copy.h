/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory that only grows, and its authoritative copy on the host (private to shadow/). Without a device, there
 * is only the host's copy. No lock inside. */
#ifndef GASAN_SHADOW_COPY_H
#define GASAN_SHADOW_COPY_H

#include "shadow/dirty.h"
#include "shadow/extent.h"

struct gasan_copy {
  struct gasan_extent extent;
  uint8_t *bytes; /* the host's copy: zero at first; the system backs it lazily */
  struct gasan_dirty dirty;
};

/* Creates a copy of at most `size` bytes; the device may be NULL. ERR_OUT_OF_HOST_MEMORY, or the device's status. */
struct gasan_status gasan_copy_create(struct gasan_copy *copy, struct gasan_device *device, uint64_t size);
/* Releases the copy. Does nothing for a struct of zeros. */
void gasan_copy_destroy(struct gasan_copy *copy);

/* Returns `count` elements from number `first` on, for the caller to change, and marks them as dirty. They must have
 * memory (extent). */
void *gasan_copy_change(struct gasan_copy *copy, uint64_t first, uint64_t count, uint64_t element);
/* Uploads dirty bytes, by write_later if the device has it. After a failure (the device's status), bytes that were not
 * written stay dirty. */
struct gasan_status gasan_copy_upload(struct gasan_copy *copy);

#endif
