/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/foreign_ranges.h"

#include <stdlib.h>

#include "gasan_rt/memory/foreign.h"

static void append_range(struct gasan_foreign_ranges *ranges, struct gasan_range range) {
  if (ranges->count == ranges->room) {
    uint64_t room = ranges->room ? ranges->room * 2 : 64;
    struct gasan_range *values = realloc(ranges->values, room * sizeof *values);
    ranges->complete &= values != NULL;
    if (!values)
      return;
    ranges->values = values;
    ranges->room = room;
  }
  ranges->values[ranges->count++] = range; // NOLINT(clang-analyzer-core.NullDereference): count < room
}

static void add_foreign(const struct gasan_foreign *range, void *context) {
  struct gasan_foreign_ranges *ranges = context;
  const struct gasan_chunk *chunk = &range->chunk;
  struct gasan_range *last = ranges->count ? &ranges->values[ranges->count - 1] : NULL;
  bool live = chunk->state == GASAN_CHUNK_LIVE;
  bool touch = last && last->size && last->base + last->size == chunk->base;
  if (touch && live && range->kind == ranges->open_ended) {
    last->size += chunk->size;
    last->last += chunk->size;
    return;
  }
  struct gasan_range own = {
      .start = chunk->base, .last = chunk->base + chunk->size, .base = chunk->base, .size = live ? chunk->size : 0};
  if (touch)
    last->last--;
  if (touch && live) {
    append_range(ranges, (struct gasan_range){
                             .start = own.base, .last = own.base, .base = last->base, .size = last->size + own.size});
    own.start++;
  }
  append_range(ranges, own);
  ranges->open_ended = live ? range->kind & GASAN_FOREIGN_OPEN_ENDED : 0;
}

bool gasan_foreign_ranges_make(struct gasan_foreign_ranges *ranges) {
  *ranges = (struct gasan_foreign_ranges){.complete = true};
  gasan_foreign_each(add_foreign, ranges);
  return ranges->complete;
}

void gasan_foreign_ranges_append(struct gasan_foreign_ranges *ranges, struct gasan_range range) {
  append_range(ranges, range);
}

void gasan_foreign_ranges_add(struct gasan_foreign_ranges *ranges, uint64_t base, uint64_t size) {
  append_range(ranges, (struct gasan_range){.start = base, .last = base + size, .base = base, .size = size});
}

static int by_start(const void *left, const void *right) {
  const struct gasan_range *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->last < b->last
             ? -1
             : a->last > b->last; /* a range of one byte is empty before the end pointer that it shares with the next */
}

void gasan_foreign_ranges_sort(struct gasan_foreign_ranges *ranges) {
  if (ranges->count)
    qsort(ranges->values, ranges->count, sizeof *ranges->values, by_start);
}
