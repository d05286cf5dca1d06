/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host's copy of the shadow. Tracks which parts of it the device does not have yet (private to shadow/).
 *
 * The mirror has pages of GASAN_MIRROR_PAGE shadow bytes, each with a dirty bit. A page whose bytes are all equal is
 * stored as that value, so that a large chunk's shadow costs the host very little. Offsets are in bytes from the
 * shadow's start. No lock inside: the shadow's lock protects it. */
#ifndef GASAN_SHADOW_MIRROR_H
#define GASAN_SHADOW_MIRROR_H

#include <stdint.h>

#include "base/status.h"
#include "shadow/dirty.h"

#define GASAN_MIRROR_PAGE GASAN_DIRTY_PAGE

struct gasan_mirror {
  uint64_t size;
  uint8_t *values; /* of each page, XOR poison: new host memory means poison */
  uint64_t *mixed; /* bits of the pages that are in `bytes`, not in `values` */
  uint8_t *bytes;  /* the system backs it lazily */
  struct gasan_dirty dirty;
  uint8_t poison;
};

/* Creates a mirror whose size is a multiple of GASAN_MIRROR_PAGE. ERR_OUT_OF_HOST_MEMORY: nothing is left behind. */
struct gasan_status gasan_mirror_create(struct gasan_mirror *mirror, uint64_t size, uint8_t poison);
void gasan_mirror_destroy(struct gasan_mirror *mirror);

void gasan_mirror_set(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value);
uint8_t gasan_mirror_get(const struct gasan_mirror *mirror, uint64_t offset);

/* Below, offsets and sizes are multiples of GASAN_MIRROR_PAGE. */

void gasan_mirror_copy(const struct gasan_mirror *mirror, struct gasan_dirty_run run, uint8_t *to);
/* Makes the bytes poison and clean, and releases the host's memory for them. They are poison on the device, too. */
void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size);

#endif
