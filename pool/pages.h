/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Physical memory under the window (private to pool/).
 *
 * A large chunk has its pages for itself: one map, one unmap. Small chunks share pages: a page is mapped when its first
 * user comes; when the last has gone it stays mapped for the next one, until more than GASAN_PAGES_IDLE_BYTES of such
 * idle pages lie about, of which the oldest are unmapped. No lock inside. */
#ifndef GASAN_POOL_PAGES_H
#define GASAN_POOL_PAGES_H

#include "device/device.h"

#define GASAN_PAGES_IDLE_BYTES (16ull << 20)

struct gasan_page;

struct gasan_pages {
  struct gasan_device *device;
  uint64_t base, page_size, count;
  struct gasan_page *table; /* one a page of the window, lazily backed */
  uint64_t idle_oldest, idle_newest, idle_count, idle_limit;
  uint64_t mapped_bytes;
};

/* ERR_OUT_OF_HOST_MEMORY. */
struct gasan_status gasan_pages_init(struct gasan_pages *pages, struct gasan_device *device, uint64_t base,
                                     uint64_t size);
/* All users have left. Unmaps the idle pages. */
void gasan_pages_destroy(struct gasan_pages *pages);

/* Memory under [base, base + size) for a chunk; on failure (the device's status) nothing changed. Large: base and size
 * are multiples of a page. */
struct gasan_status gasan_pages_acquire(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large);
/* A large chunk's memory stays acquired if the device does not unmap it; small chunks' release cannot fail. */
struct gasan_status gasan_pages_release(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large);

/* Unmaps all idle pages. Returns how many bytes that gave back. */
uint64_t gasan_pages_trim(struct gasan_pages *pages);

#endif
