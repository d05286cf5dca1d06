/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/pointer_span.h"

#define PAGE (1ull << GASAN_MAP_PAGE_SHIFT)

/* Returns the middle between `base` and the first block after the block of `end`, rounded to a block. */
static uint64_t middle_of_gap(uint64_t end, uint64_t base, uint64_t block) {
  uint64_t first = (end / block + 1) * block;
  return first + (base - first) / block / 2 * block;
}

struct gasan_pointer_span gasan_pointer_span_of(uint64_t base, uint64_t size, uint64_t redzone, uint64_t previous_end,
                                                uint64_t next_base, uint32_t block) {
  struct gasan_pointer_span span = {.base = base, .size = size};
  uint64_t end = base + size, low_limit = middle_of_gap(previous_end, base, block),
           high_limit = middle_of_gap(end, next_base, block);
  /* A page inside one span costs a word, a divided page costs a table. So spans of large chunks have whole pages. */
  uint64_t unit = size >= PAGE / 2 ? PAGE : block;
  uint64_t wanted_low = base > redzone ? (base - redzone) / unit * unit : 0;
  uint64_t wanted_high = ((end + redzone) / unit + 1) * unit;
  span.low = wanted_low > low_limit ? wanted_low : low_limit;
  span.high = wanted_high < high_limit ? wanted_high : high_limit;
  return span;
}
