/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static void reserve(struct gasan_text *text, size_t length) {
  if (length < text->room - text->length)
    return;
  size_t room = text->room ? text->room * 2 : 4096;
  while (room - text->length <= length)
    room *= 2;
  char *bytes = realloc(text->bytes, room);
  GASAN_CHECK(bytes);
  text->bytes = bytes;
  text->room = room;
}

void gasan_text_add(struct gasan_text *text, const char *bytes, size_t length) {
  reserve(text, length + 1);
  if (length)
    memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
}

void gasan_text_print(struct gasan_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  GASAN_CHECK(length >= 0);
  reserve(text, (size_t)length + 1);
  va_start(arguments, format);
  vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

void gasan_text_clear(struct gasan_text *text) {
  text->length = 0;
  if (text->bytes)
    *text->bytes = 0;
}

void gasan_text_free(struct gasan_text *text) {
  free(text->bytes);
  *text = (struct gasan_text){0};
}
