/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/mirror.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/round.h"
#include "shadow/bits.h"

struct gasan_status gasan_mirror_create(struct gasan_mirror *mirror, uint64_t size, uint8_t poison) {
  GASAN_CHECK(size % GASAN_MIRROR_PAGE == 0);
  uint64_t pages = size / GASAN_MIRROR_PAGE, words = pages / 64 + 1;
  *mirror = (struct gasan_mirror){.size = size, .poison = poison};
  mirror->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mirror->bytes == MAP_FAILED)
    mirror->bytes = NULL;
  mirror->values = calloc(pages, sizeof *mirror->values);
  mirror->mixed = calloc(words, sizeof *mirror->mixed);
  if (gasan_dirty_create(&mirror->dirty, size) && mirror->bytes && mirror->values && mirror->mixed)
    return gasan_status_make(GASAN_OK);
  gasan_mirror_destroy(mirror);
  return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
}

void gasan_mirror_destroy(struct gasan_mirror *mirror) {
  if (mirror->bytes)
    munmap(mirror->bytes, mirror->size);
  free(mirror->values);
  free(mirror->mixed);
  gasan_dirty_destroy(&mirror->dirty);
  *mirror = (struct gasan_mirror){0};
}

static uint8_t value_of(const struct gasan_mirror *mirror, uint64_t page) {
  return mirror->values[page] ^ mirror->poison;
}

static void set_part(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value) {
  uint64_t page = offset / GASAN_MIRROR_PAGE;
  if (!gasan_bit_get(mirror->mixed, page)) {
    memset(mirror->bytes + page * GASAN_MIRROR_PAGE, value_of(mirror, page), GASAN_MIRROR_PAGE);
    gasan_bit_set(mirror->mixed, page);
  }
  memset(mirror->bytes + offset, value, size);
}

static void set_pages(struct gasan_mirror *mirror, uint64_t first, uint64_t end, uint8_t value) {
  gasan_bits_clear(mirror->mixed, first, end);
  memset(mirror->values + first, value ^ mirror->poison, end - first);
}

void gasan_mirror_set(struct gasan_mirror *mirror, uint64_t offset, uint64_t size, uint8_t value) {
  if (size == 0)
    return;
  GASAN_CHECK(offset < mirror->size && size <= mirror->size - offset);
  uint64_t end = offset + size, first_page = offset / GASAN_MIRROR_PAGE, end_page = (end - 1) / GASAN_MIRROR_PAGE + 1;
  uint64_t whole_first = gasan_round_up(offset, GASAN_MIRROR_PAGE) / GASAN_MIRROR_PAGE,
           whole_end = end / GASAN_MIRROR_PAGE;
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
  gasan_dirty_soil(&mirror->dirty, first_page * GASAN_MIRROR_PAGE, (end_page - first_page) * GASAN_MIRROR_PAGE);
}

uint8_t gasan_mirror_get(const struct gasan_mirror *mirror, uint64_t offset) {
  GASAN_CHECK(offset < mirror->size);
  uint64_t page = offset / GASAN_MIRROR_PAGE;
  return gasan_bit_get(mirror->mixed, page) ? mirror->bytes[offset] : value_of(mirror, page);
}

void gasan_mirror_copy(const struct gasan_mirror *mirror, struct gasan_dirty_run run, uint8_t *to) {
  for (uint64_t done = 0; done < run.size; done += GASAN_MIRROR_PAGE) {
    uint64_t page = (run.offset + done) / GASAN_MIRROR_PAGE;
    if (gasan_bit_get(mirror->mixed, page))
      memcpy(to + done, mirror->bytes + run.offset + done, GASAN_MIRROR_PAGE);
    else
      memset(to + done, value_of(mirror, page), GASAN_MIRROR_PAGE);
  }
}

void gasan_mirror_reset(struct gasan_mirror *mirror, uint64_t offset, uint64_t size) {
  uint64_t first = offset / GASAN_MIRROR_PAGE, end = (offset + size) / GASAN_MIRROR_PAGE;
  bool backed = gasan_bit_next(mirror->mixed, first, end) < end;
  set_pages(mirror, first, end, mirror->poison);
  gasan_bits_clear(mirror->dirty.bits, first, end);
  if (backed)
    GASAN_CHECK(madvise(mirror->bytes + offset, size, MADV_DONTNEED) == 0);
}
