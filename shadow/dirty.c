/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/dirty.h"

#include <stdlib.h>

#include "shadow/bits.h"

/* A write to the device costs as much as uploading some hundred KiB. So up to this many clean pages between dirty ones
 * are uploaded, too. */
#define MERGE_PAGES 16u

bool gasan_dirty_create(struct gasan_dirty *dirty, uint64_t size) {
  *dirty = (struct gasan_dirty){.first = UINT64_MAX};
  dirty->bits = calloc(size / GASAN_DIRTY_PAGE / 64 + 1, sizeof *dirty->bits);
  return dirty->bits != NULL;
}

void gasan_dirty_destroy(struct gasan_dirty *dirty) {
  free(dirty->bits);
  dirty->bits = NULL;
}

bool gasan_dirty_next(const struct gasan_dirty *dirty, uint64_t offset, uint64_t end, struct gasan_dirty_run *run) {
  uint64_t first_page = offset / GASAN_DIRTY_PAGE;
  uint64_t end_page = end / GASAN_DIRTY_PAGE;
  if (first_page < dirty->first)
    first_page = dirty->first;
  if (end_page > dirty->end)
    end_page = dirty->end;
  uint64_t run_first = gasan_bit_next(dirty->bits, first_page, end_page);
  if (run_first >= end_page)
    return false;
  uint64_t run_end = run_first + 1;
  for (;;) {
    uint64_t next = gasan_bit_next(dirty->bits, run_end, end_page);
    if (next >= end_page || next - run_end > MERGE_PAGES)
      break;
    run_end = next + 1;
  }
  *run = (struct gasan_dirty_run){run_first * GASAN_DIRTY_PAGE, (run_end - run_first) * GASAN_DIRTY_PAGE};
  return true;
}

void gasan_dirty_clean(struct gasan_dirty *dirty, struct gasan_dirty_run run) {
  uint64_t first = run.offset / GASAN_DIRTY_PAGE;
  uint64_t end = (run.offset + run.size) / GASAN_DIRTY_PAGE;
  gasan_bits_clear(dirty->bits, first, end);
  /* Uploads clean the runs in ascending order, so this keeps [first, end) tight. */
  if (first <= dirty->first)
    dirty->first = end;
  if (dirty->first >= dirty->end) {
    dirty->first = UINT64_MAX;
    dirty->end = 0;
  }
}

void gasan_dirty_soil(struct gasan_dirty *dirty, uint64_t offset, uint64_t size) {
  uint64_t first = offset / GASAN_DIRTY_PAGE, end = (offset + size) / GASAN_DIRTY_PAGE;
  gasan_bits_set(dirty->bits, first, end);
  if (first < dirty->first)
    dirty->first = first;
  if (end > dirty->end)
    dirty->end = end;
}
