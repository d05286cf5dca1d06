#include "shadow/mirror.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

/* A device write costs as much as some hundred KiB of upload: clean stretches up to this many pages are uploaded too.
 * */
#define MERGE_PAGES 16u

static bool bit_get(const uint64_t *bits, uint64_t index) {
  return bits[index / 64] >> (index % 64) & 1;
}

static void bit_set(uint64_t *bits, uint64_t index) {
  bits[index / 64] |= 1ull << (index % 64);
}

/* The first set bit in [index, end), or end. */
static uint64_t bit_next(const uint64_t *bits, uint64_t index, uint64_t end) {
  while (index < end) {
    uint64_t word = bits[index / 64] >> (index % 64);
    if (word) {
      index += (uint64_t)__builtin_ctzll(word);
      return index < end ? index : end;
    }
    index = (index / 64 + 1) * 64;
  }
  return end;
}

struct gasan_status gasan_mirror_create(struct gasan_mirror *mirror, uint64_t size, uint8_t poison) {
  GASAN_CHECK(size % GASAN_MIRROR_PAGE == 0);
  uint64_t words = (size / GASAN_MIRROR_PAGE + 63) / 64;
  *mirror = (struct gasan_mirror){.size = size, .poison = poison};
  mirror->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mirror->bytes == MAP_FAILED) {
    mirror->bytes = NULL;
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  }
  mirror->dirty = calloc(words, sizeof *mirror->dirty);
  mirror->present = poison ? calloc(words, sizeof *mirror->present) : NULL;
  if (!mirror->dirty || (poison && !mirror->present)) {
    gasan_mirror_destroy(mirror);
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  }
  mirror->dirty_first = UINT64_MAX;
  return gasan_status_make(GASAN_OK);
}

void gasan_mirror_destroy(struct gasan_mirror *mirror) {
  if (mirror->bytes)
    munmap(mirror->bytes, mirror->size);
  free(mirror->dirty);
  free(mirror->present);
  *mirror = (struct gasan_mirror){0};
}

static void make_present(struct gasan_mirror *mirror, uint64_t first, uint64_t end) {
  if (!mirror->present)
    return;
  for (uint64_t page = first; page < end; page++) {
    if (bit_get(mirror->present, page))
      continue;
    memset(mirror->bytes + page * GASAN_MIRROR_PAGE, mirror->poison, GASAN_MIRROR_PAGE);
    bit_set(mirror->present, page);
  }
}

void gasan_mirror_set(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value) {
  if (size == 0)
    return;
  GASAN_CHECK(offset < mirror->size && size <= mirror->size - offset);
  uint64_t first = offset / GASAN_MIRROR_PAGE;
  uint64_t end = (offset + size - 1) / GASAN_MIRROR_PAGE + 1;
  make_present(mirror, first, end);
  memset(mirror->bytes + offset, value, size);
  for (uint64_t page = first; page < end; page++)
    bit_set(mirror->dirty, page);
  if (first < mirror->dirty_first)
    mirror->dirty_first = first;
  if (end > mirror->dirty_end)
    mirror->dirty_end = end;
}

uint8_t gasan_mirror_get(const struct gasan_mirror *mirror, uint64_t offset) {
  GASAN_CHECK(offset < mirror->size);
  if (mirror->present && !bit_get(mirror->present, offset / GASAN_MIRROR_PAGE))
    return mirror->poison;
  return mirror->bytes[offset];
}

bool gasan_mirror_next_dirty(struct gasan_mirror *mirror, uint64_t offset, uint64_t end, struct gasan_mirror_run *run) {
  uint64_t first_page = offset / GASAN_MIRROR_PAGE;
  uint64_t end_page = end / GASAN_MIRROR_PAGE;
  if (first_page < mirror->dirty_first)
    first_page = mirror->dirty_first;
  if (end_page > mirror->dirty_end)
    end_page = mirror->dirty_end;
  uint64_t run_first = bit_next(mirror->dirty, first_page, end_page);
  if (run_first >= end_page)
    return false;
  uint64_t run_end = run_first + 1;
  for (;;) {
    uint64_t next = bit_next(mirror->dirty, run_end, end_page);
    if (next >= end_page || next - run_end > MERGE_PAGES)
      break;
    run_end = next + 1;
  }
  make_present(mirror, run_first, run_end);
  *run = (struct gasan_mirror_run){run_first * GASAN_MIRROR_PAGE, (run_end - run_first) * GASAN_MIRROR_PAGE};
  return true;
}

static void bits_clear(uint64_t *bits, uint64_t first, uint64_t end) {
  for (uint64_t index = first; index < end; index++)
    bits[index / 64] &= ~(1ull << (index % 64));
}

void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size) {
  uint64_t first = offset / GASAN_MIRROR_PAGE, end = (offset + size) / GASAN_MIRROR_PAGE;
  bits_clear(mirror->dirty, first, end);
  if (mirror->present)
    bits_clear(mirror->present, first, end);
  /* Private memory without a file reads as zero after this: poison, where `present` does not say so. */
  GASAN_CHECK(madvise(mirror->bytes + offset, size, MADV_DONTNEED) == 0);
}

void gasan_mirror_clean(struct gasan_mirror *mirror, struct gasan_mirror_run run) {
  uint64_t first = run.offset / GASAN_MIRROR_PAGE;
  uint64_t end = (run.offset + run.size) / GASAN_MIRROR_PAGE;
  bits_clear(mirror->dirty, first, end);
  /* Uploads go from the first run to the last, so this leaves the bounds tight. */
  if (first <= mirror->dirty_first)
    mirror->dirty_first = end;
  if (mirror->dirty_first >= mirror->dirty_end) {
    mirror->dirty_first = UINT64_MAX;
    mirror->dirty_end = 0;
  }
}
