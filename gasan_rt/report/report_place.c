/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_place.h"

#include <stdio.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

typedef unsigned long long ull;

void gasan_report_place_title(const struct gasan_rt_device *state, const struct gasan_stop_place *place, char *text,
                              size_t size) {
  const char *kind = state->device->kind->name;
  const int ordinal = state->device->ordinal;
  if (!place->span)
    snprintf(text, size, " on %s device %d unknown address", kind, ordinal);
  else
    snprintf(text, size, " on %s device %d %s 0x%012llx", kind, ordinal, place->span == 1 ? "address" : "page",
             (ull)place->address);
}

void gasan_report_place_text(const struct gasan_stop_place *place, char *text, size_t size) {
  if (!place->span)
    *text = 0;
  else if (place->span == 1)
    snprintf(text, size, " at 0x%012llx", (ull)place->address);
  else
    snprintf(text, size, " in the %llu bytes from 0x%012llx", (ull)place->span, (ull)place->address);
}

/* Prints the distances of the first and the last byte where the access may have begun. */
static void print_range(const struct gasan_stop_place *place) {
  const struct gasan_chunk *chunk = &place->chunk;
  const uint64_t first = place->address, last = first + place->span - 1, end = chunk->base + chunk->size;
  gasan_printf("%s[0x%012llx,0x%012llx) is located ", gasan_color(GASAN_COLOR_LOCATION), (ull)first, (ull)last + 1);
  if (first >= end)
    gasan_printf("%llu to %llu bytes after", (ull)(first - end), (ull)(last - end));
  else if (last < chunk->base)
    gasan_printf("%llu to %llu bytes before", (ull)(chunk->base - last), (ull)(chunk->base - first));
  else if (first >= chunk->base && last < end)
    gasan_printf("%llu to %llu bytes inside of", (ull)(first - chunk->base), (ull)(last - chunk->base));
  else
    gasan_printf("partly inside of");
  gasan_printf(" %llu-byte region [0x%012llx,0x%012llx)%s\n", (ull)chunk->size, (ull)chunk->base, (ull)end,
               gasan_color(GASAN_COLOR_DEFAULT));
}

void gasan_report_print_place(const struct gasan_stop_place *place) {
  if (!place->span || place->is_foreign)
    return;
  if (!place->has_chunk) {
    gasan_printf("%s0x%012llx is %s%s\n\n", gasan_color(GASAN_COLOR_LOCATION), (ull)place->address,
                 place->kind == GASAN_KIND_NULL_ADDRESS ? "no address of memory: the pointer is null"
                                                        : "in no memory that gasan knows of",
                 gasan_color(GASAN_COLOR_DEFAULT));
    return;
  }
  if (place->span == 1) {
    gasan_report_print_chunk(&place->chunk, place->address);
    return;
  }
  print_range(place);
  gasan_note_object("region", NULL, place->chunk.base, place->chunk.size, place->address);
  gasan_report_print_chunk_stacks(&place->chunk);
}
