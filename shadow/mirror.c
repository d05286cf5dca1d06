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

/* The bits of [first, end) in their word; the range reaches into the word of `first` and perhaps beyond. */
static uint64_t word_mask(uint64_t first, uint64_t end) {
  uint64_t from = ~0ull << (first % 64);
  return first / 64 == end / 64 ? from & ~(~0ull << (end % 64)) : from;
}

static void bits_set(uint64_t *bits, uint64_t first, uint64_t end) {
  for (; first < end; first = (first / 64 + 1) * 64)
    bits[first / 64] |= word_mask(first, end);
}

static void bits_clear(uint64_t *bits, uint64_t first, uint64_t end) {
  for (; first < end; first = (first / 64 + 1) * 64)
    bits[first / 64] &= ~word_mask(first, end);
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
  uint64_t pages = size / GASAN_MIRROR_PAGE, words = pages / 64 + 1;
  *mirror = (struct gasan_mirror){.size = size, .poison = poison, .dirty_first = UINT64_MAX};
  mirror->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mirror->bytes == MAP_FAILED)
    mirror->bytes = NULL;
  mirror->values = calloc(pages, sizeof *mirror->values);
  mirror->mixed = calloc(words, sizeof *mirror->mixed);
  mirror->dirty = calloc(words, sizeof *mirror->dirty);
  if (mirror->bytes && mirror->values && mirror->mixed && mirror->dirty)
    return gasan_status_make(GASAN_OK);
  gasan_mirror_destroy(mirror);
  return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
}

void gasan_mirror_destroy(struct gasan_mirror *mirror) {
  if (mirror->bytes)
    munmap(mirror->bytes, mirror->size);
  free(mirror->values);
  free(mirror->mixed);
  free(mirror->dirty);
  *mirror = (struct gasan_mirror){0};
}

static uint8_t value_of(const struct gasan_mirror *mirror, uint64_t page) {
  return mirror->values[page] ^ mirror->poison;
}

static void set_part(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value) {
  uint64_t page = offset / GASAN_MIRROR_PAGE;
  if (!bit_get(mirror->mixed, page)) {
    memset(mirror->bytes + page * GASAN_MIRROR_PAGE, value_of(mirror, page), GASAN_MIRROR_PAGE);
    bit_set(mirror->mixed, page);
  }
  memset(mirror->bytes + offset, value, size);
}

static void set_pages(struct gasan_mirror *mirror, uint64_t first, uint64_t end, uint8_t value) {
  bits_clear(mirror->mixed, first, end);
  memset(mirror->values + first, value ^ mirror->poison, end - first);
}

void gasan_mirror_set(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value) {
  if (size == 0)
    return;
  GASAN_CHECK(offset < mirror->size && size <= mirror->size - offset);
  uint64_t end = offset + size, first_page = offset / GASAN_MIRROR_PAGE, end_page = (end - 1) / GASAN_MIRROR_PAGE + 1;
  uint64_t whole_first = (offset + GASAN_MIRROR_PAGE - 1) / GASAN_MIRROR_PAGE, whole_end = end / GASAN_MIRROR_PAGE;
  if (whole_first > whole_end) {
    set_part(mirror, offset, size, value);
  } else {
    if (first_page < whole_first)
      set_part(mirror, offset, whole_first * GASAN_MIRROR_PAGE - offset, value);
    if (whole_first < whole_end)
      set_pages(mirror, whole_first, whole_end, value);
    if (whole_end < end_page)
      set_part(mirror, whole_end * GASAN_MIRROR_PAGE, end - whole_end * GASAN_MIRROR_PAGE, value);
  }
  gasan_mirror_soil(mirror, first_page * GASAN_MIRROR_PAGE, (end_page - first_page) * GASAN_MIRROR_PAGE);
}

uint8_t gasan_mirror_get(const struct gasan_mirror *mirror, uint64_t offset) {
  GASAN_CHECK(offset < mirror->size);
  uint64_t page = offset / GASAN_MIRROR_PAGE;
  return bit_get(mirror->mixed, page) ? mirror->bytes[offset] : value_of(mirror, page);
}

bool gasan_mirror_next_dirty(const struct gasan_mirror *mirror, uint64_t offset, uint64_t end, struct gasan_mirror_run *run) {
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
  *run = (struct gasan_mirror_run){run_first * GASAN_MIRROR_PAGE, (run_end - run_first) * GASAN_MIRROR_PAGE};
  return true;
}

void gasan_mirror_copy(const struct gasan_mirror *mirror, struct gasan_mirror_run run, uint8_t *to) {
  for (uint64_t done = 0; done < run.size; done += GASAN_MIRROR_PAGE) {
    uint64_t page = (run.offset + done) / GASAN_MIRROR_PAGE;
    if (bit_get(mirror->mixed, page))
      memcpy(to + done, mirror->bytes + run.offset + done, GASAN_MIRROR_PAGE);
    else
      memset(to + done, value_of(mirror, page), GASAN_MIRROR_PAGE);
  }
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

void gasan_mirror_soil(struct gasan_mirror *mirror, uint64_t offset, uint64_t size) {
  uint64_t first = offset / GASAN_MIRROR_PAGE, end = (offset + size) / GASAN_MIRROR_PAGE;
  bits_set(mirror->dirty, first, end);
  if (first < mirror->dirty_first)
    mirror->dirty_first = first;
  if (end > mirror->dirty_end)
    mirror->dirty_end = end;
}

void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size) {
  uint64_t first = offset / GASAN_MIRROR_PAGE, end = (offset + size) / GASAN_MIRROR_PAGE;
  bool backed = bit_next(mirror->mixed, first, end) < end;
  set_pages(mirror, first, end, mirror->poison);
  bits_clear(mirror->dirty, first, end);
  if (backed)
    GASAN_CHECK(madvise(mirror->bytes + offset, size, MADV_DONTNEED) == 0);
}
