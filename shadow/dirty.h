/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracks which bytes of a copy on the host the device does not have yet (private to shadow/). Offsets and sizes are
 * multiples of GASAN_DIRTY_PAGE. No lock inside. */
#ifndef GASAN_SHADOW_DIRTY_H
#define GASAN_SHADOW_DIRTY_H

#include <stdbool.h>
#include <stdint.h>

#define GASAN_DIRTY_PAGE 4096u

struct gasan_dirty {
  uint64_t *bits;
  uint64_t first, end; /* all dirty pages are in [first, end) */
};

struct gasan_dirty_run {
  uint64_t offset, size;
};

/* Starts with all bytes clean. Returns false if there is no host memory. */
bool gasan_dirty_create(struct gasan_dirty *dirty, uint64_t size);
void gasan_dirty_destroy(struct gasan_dirty *dirty);

/* Finds the first run of dirty bytes in [offset, end). Runs with few clean bytes between them count as one. Returns
 * false if there is none. */
bool gasan_dirty_next(const struct gasan_dirty *dirty, uint64_t offset, uint64_t end, struct gasan_dirty_run *run);
/* Mark bytes as present on the device (clean) or not (soil). */
void gasan_dirty_clean(struct gasan_dirty *dirty, struct gasan_dirty_run run);
void gasan_dirty_soil(struct gasan_dirty *dirty, uint64_t offset, uint64_t size);

#endif
