/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_picture.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gasan_rt/sanitizer/sanitizer.h"

#define COLUMNS 40u
#define BEFORE 16u /* columns in front of the edge */
#define FAR 24u

/* Returns true if an edge of the object and a byte outside of it are in one picture. */
static bool helps(uint64_t base, uint64_t size, uint64_t access, uint64_t width) {
  const uint64_t end = base + size, last = access + width - 1;
  if (!size || !width || end < base || last < access)
    return false;
  if (last >= end)
    return access < end || access - end < FAR;
  return access < base && base - access <= FAR;
}

void gasan_report_draw_bytes(uint64_t base, uint64_t size, uint64_t access, uint64_t width) {
  char object[COLUMNS + 1], marks[COLUMNS + 1];
  if (!helps(base, size, access, width))
    return;
  const bool is_end = access + width > base + size;
  const uint64_t edge = is_end ? base + size : base, before = is_end ? BEFORE : COLUMNS - BEFORE;
  const uint64_t first = edge < before ? 0 : edge - before;
  uint32_t used = 0;
  for (uint32_t i = 0; i < COLUMNS; i++) {
    const uint64_t at = first + i;
    object[i] = at - base < size ? '#' : '.';
    marks[i] = at - access < width ? '^' : ' ';
    used = marks[i] == '^' ? i + 1 : used;
  }
  object[COLUMNS] = marks[used] = 0;
  gasan_printf("  0x%012llx %s (#: inside)\n  %14s %s%s%s\n\n", (unsigned long long)first, object, "",
               gasan_color(GASAN_COLOR_ACCESS), marks, gasan_color(GASAN_COLOR_DEFAULT));
}
