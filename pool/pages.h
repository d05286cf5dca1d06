/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Physical memory under the window (private to pool/).
 *
 * A large chunk does not share its pages, so it needs one map and one unmap. Small chunks share pages. A shared page is
 * mapped for its first user. When its last user leaves, the page is idle and stays mapped for the next user. If there
 * are more than GASAN_PAGES_IDLE_BYTES of idle pages, the oldest are unmapped. No lock inside. */
#ifndef GASAN_POOL_PAGES_H
#define GASAN_POOL_PAGES_H

#include "device/device.h"

#define GASAN_PAGES_IDLE_BYTES (16ull << 20)

struct gasan_page;

struct gasan_pages {
  struct gasan_device *device;
  uint64_t base, page_size, count;
  struct gasan_page *table; /* one for each page of the window; the system backs it lazily */
  uint64_t idle_oldest, idle_newest, idle_count, idle_limit;
  uint64_t mapped_bytes;
  bool guard_before, guard_behind; /* no idle page stays mapped there beside a large chunk */
};

/* Initialises the pages of the window. ERR_OUT_OF_HOST_MEMORY. */
struct gasan_status gasan_pages_init(struct gasan_pages *pages, struct gasan_device *device, uint64_t base,
                                     uint64_t size);
/* Unmaps the idle pages. All users must have left. */
void gasan_pages_destroy(struct gasan_pages *pages);

/* Maps memory under [base, base + size) for a chunk. For a large chunk, base and size are multiples of a page. A
 * failure (the device's status) changes nothing. */
struct gasan_status gasan_pages_acquire(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large);
/* Releases a chunk's memory. If the device does not unmap a large chunk, its memory stays acquired (the device's
 * status). Cannot fail for a small chunk. */
struct gasan_status gasan_pages_release(struct gasan_pages *pages, uint64_t base, uint64_t size, bool large);

/* Unmaps all idle pages. Returns the number of bytes released. */
uint64_t gasan_pages_trim(struct gasan_pages *pages);

#endif
