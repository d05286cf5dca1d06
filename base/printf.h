/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the string arguments of a printf format in the way device code reads it. One definition for the pass and the
 * device: C++17 and device code. The arguments are in a buffer; each is aligned to its size. */
#ifndef GASAN_BASE_PRINTF_H
#define GASAN_BASE_PRINTF_H

#include "base/abi.h"
#include "base/round.h"

#define GASAN_PRINTF_NONE (~(uint64_t)0)
#define GASAN_PRINTF_MOST (32 * 8) /* bytes of arguments: CUDA takes at most 32 arguments */

struct gasan_printf_reader {
  const char *next, *end; /* of the format; a 0 may end it earlier */
  uint64_t arguments;     /* bytes of the buffer read so far */
};

/* A %s. */
struct gasan_printf_string {
  uint64_t pointer_at; /* offset of the pointer in the buffer */
  uint64_t precision;  /* greatest number of characters to read; GASAN_PRINTF_NONE: no precision */
};

GASAN_ABI_FUNCTION char gasan_printf_peek(const struct gasan_printf_reader *reader) {
  return reader->next < reader->end ? *reader->next : 0;
}

GASAN_ABI_FUNCTION int gasan_printf_skip(struct gasan_printf_reader *reader, char wanted) {
  int found = gasan_printf_peek(reader) == wanted;
  reader->next += found;
  return found;
}

GASAN_ABI_FUNCTION uint64_t gasan_printf_number(struct gasan_printf_reader *reader) {
  uint64_t number = 0;
  for (char digit; (digit = gasan_printf_peek(reader)) >= '0' && digit <= '9'; ++reader->next)
    number = number < 1u << 30 ? number * 10 + (uint64_t)(digit - '0') : number;
  return number;
}

GASAN_ABI_FUNCTION uint64_t gasan_printf_take(struct gasan_printf_reader *reader, uint64_t size) {
  uint64_t at = gasan_round_up(reader->arguments, size);
  reader->arguments = at + size;
  return at;
}

/* Reads flags, width and precision after a %. Returns 0 if CUDA does not support them: it prints %.*s literally. */
GASAN_ABI_FUNCTION int gasan_printf_layout(struct gasan_printf_reader *reader, struct gasan_printf_string *string) {
  string->precision = GASAN_PRINTF_NONE;
  while (gasan_printf_skip(reader, '-') || gasan_printf_skip(reader, '+') || gasan_printf_skip(reader, ' ') ||
         gasan_printf_skip(reader, '#') || gasan_printf_skip(reader, '0'))
    ;
  if (gasan_printf_skip(reader, '*'))
    gasan_printf_take(reader, 4);
  else
    gasan_printf_number(reader);
  if (!gasan_printf_skip(reader, '.'))
    return 1;
  string->precision = gasan_printf_number(reader);
  return gasan_printf_peek(reader) != '*';
}

/* Finds the next %s. Returns 0 at the format's end, or at a conversion that CUDA does not support, after which the
 * offsets of later arguments are unknown. */
GASAN_ABI_FUNCTION int gasan_printf_next(struct gasan_printf_reader *reader, struct gasan_printf_string *string) {
  for (char letter; (letter = gasan_printf_peek(reader)) != 0;) {
    ++reader->next;
    if (letter != '%' || gasan_printf_skip(reader, '%'))
      continue;
    if (!gasan_printf_layout(reader, string))
      return 0;
    int is_wide = 0, is_plain = 1, more = 1;
    while (more) {
      int wide = gasan_printf_skip(reader, 'l') || gasan_printf_skip(reader, 'z') || gasan_printf_skip(reader, 'j') ||
                 gasan_printf_skip(reader, 't') || gasan_printf_skip(reader, 'q');
      more = wide || gasan_printf_skip(reader, 'h') || gasan_printf_skip(reader, 'L');
      is_wide |= wide;
      is_plain &= !more;
    }
    letter = gasan_printf_peek(reader);
    reader->next += letter != 0;
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      gasan_printf_take(reader, is_wide ? 8 : 4);
      break;
    case 'c':
      gasan_printf_take(reader, 4);
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
    case 'p':
      gasan_printf_take(reader, 8);
      break;
    case 's':
      string->pointer_at = gasan_printf_take(reader, 8);
      if (is_plain) /* CUDA has no wide strings */
        return 1;
      break;
    default:
      return 0;
    }
  }
  return 0;
}

#endif
