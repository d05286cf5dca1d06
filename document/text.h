/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A text that grows. No locks: a text belongs to one thread at a time. */
#ifndef GASAN_DOCUMENT_TEXT_H
#define GASAN_DOCUMENT_TEXT_H

#include <stddef.h>

struct gasan_text {
  char *bytes; /* NULL: empty; else with a null byte at the end */
  size_t length, room;
};

/* Add to the end. The process ends if there is no memory. */
void gasan_text_add(struct gasan_text *text, const char *bytes, size_t length);
void gasan_text_print(struct gasan_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the content, and keeps its memory. */
void gasan_text_clear(struct gasan_text *text);
void gasan_text_free(struct gasan_text *text);

#endif
