/* The host's copy of the shadow: lazily filled, and which parts of it differ from the device's (private to shadow/).
 *
 * Kept in pages of GASAN_MIRROR_PAGE shadow bytes, each with a dirty bit. Offsets are bytes from the shadow's start.
 * No lock inside: the shadow's lock protects it. */
#ifndef GASAN_SHADOW_MIRROR_H
#define GASAN_SHADOW_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define GASAN_MIRROR_PAGE 4096u

struct gasan_mirror {
  uint8_t *bytes; /* lazily backed; a page that `present` does not name reads as poison whatever lies here */
  uint64_t size;
  uint64_t *dirty;
  uint64_t *present; /* NULL if the poison value is 0: fresh host memory says that by itself */
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

/* The first run of dirty bytes in [offset, end), both multiples of GASAN_MIRROR_PAGE; runs with a short clean stretch
 * between them count as one. The run's bytes may be read from mirror->bytes. False: none. */
bool gasan_mirror_next_dirty(struct gasan_mirror *mirror, uint64_t offset, uint64_t end, struct gasan_mirror_run *run);
/* All of it is poison, here and on the device: gives the host's memory back. Both are multiples of GASAN_MIRROR_PAGE. */
void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size);
void gasan_mirror_clean(struct gasan_mirror *mirror, struct gasan_mirror_run run);

#endif
