/* The host's copy of the shadow: lazily filled, and which parts of it differ from the device's (private to shadow/).
 *
 * Kept in pages of GASAN_MIRROR_PAGE shadow bytes, each with a dirty bit. A page whose bytes are all the same is only that
 * value, so that a large chunk's shadow costs the host next to nothing. Offsets are bytes from the shadow's start. No lock
 * inside: the shadow's lock protects it. */
#ifndef GASAN_SHADOW_MIRROR_H
#define GASAN_SHADOW_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define GASAN_MIRROR_PAGE 4096u

struct gasan_mirror {
  uint64_t size;
  uint8_t *values; /* of each page, exclusive-or poison: fresh host memory says "poison" */
  uint64_t *mixed; /* pages that are not their value, but `bytes` */
  uint8_t *bytes;  /* lazily backed */
  uint64_t *dirty;
  uint64_t dirty_first, dirty_end; /* all dirty pages are in [dirty_first, dirty_end) */
  uint8_t poison;
};

struct gasan_mirror_run {
  uint64_t offset, size;
};

/* size: a multiple of GASAN_MIRROR_PAGE. ERR_OUT_OF_HOST_MEMORY: nothing is left behind. */
struct gasan_status gasan_mirror_create(struct gasan_mirror *mirror, uint64_t size, uint8_t poison);
void gasan_mirror_destroy(struct gasan_mirror *mirror);

void gasan_mirror_set(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value);
uint8_t gasan_mirror_get(const struct gasan_mirror *mirror, uint64_t offset);

/* In the following offset, end and size are multiples of GASAN_MIRROR_PAGE. */

/* The first run of dirty bytes in [offset, end); runs with a short clean stretch between them count as one. False: none. */
bool gasan_mirror_next_dirty(const struct gasan_mirror *mirror, uint64_t offset, uint64_t end, struct gasan_mirror_run *run);
void gasan_mirror_copy(const struct gasan_mirror *mirror, struct gasan_mirror_run run, uint8_t *to);
/* The device has (has not) these bytes. */
void gasan_mirror_clean(struct gasan_mirror *mirror, struct gasan_mirror_run run);
void gasan_mirror_soil(struct gasan_mirror *mirror, uint64_t offset, uint64_t size);
/* All of it is poison, here and on the device: gives the host's memory back. */
void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size);

#endif
