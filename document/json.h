/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes and reads JSON (RFC 8259). No locks. */
#ifndef GASAN_DOCUMENT_JSON_H
#define GASAN_DOCUMENT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document/arena.h"
#include "document/text.h"

/* A JSON text that is being written. Zero-initialise all but `text`. */
struct gasan_json_writer {
  struct gasan_text *text;
  uint32_t depth, flat; /* flat: containers from this depth on are on one line; 0: none */
  bool has_member;      /* of the innermost container */
};

/* Write a member of an object; name NULL: an element of an array. A text may have any bytes: bytes that are no UTF-8
 * become U+FFFD. A NULL text writes nothing. hex writes "0x7f00000000" as a string, since readers may round large
 * numbers. */
void gasan_json_text(struct gasan_json_writer *json, const char *name, const char *value);
void gasan_json_number(struct gasan_json_writer *json, const char *name, uint64_t value);
void gasan_json_signed(struct gasan_json_writer *json, const char *name, int64_t value);
void gasan_json_hex(struct gasan_json_writer *json, const char *name, uint64_t value);
void gasan_json_boolean(struct gasan_json_writer *json, const char *name, bool value);
void gasan_json_three(struct gasan_json_writer *json, const char *name, const uint32_t value[3]);
/* Begin a container by '{' or '[', and end it. open_flat writes all of it on one line. */
void gasan_json_open(struct gasan_json_writer *json, const char *name, char bracket);
void gasan_json_open_flat(struct gasan_json_writer *json, const char *name, char bracket);
void gasan_json_close(struct gasan_json_writer *json, char bracket);

enum gasan_json_type {
  GASAN_JSON_NULL,
  GASAN_JSON_FALSE,
  GASAN_JSON_TRUE,
  GASAN_JSON_NUMBER,
  GASAN_JSON_TEXT,
  GASAN_JSON_ARRAY,
  GASAN_JSON_OBJECT
};

struct gasan_json_value {
  enum gasan_json_type type;
  bool is_whole, is_negative; /* of a number: an integer whose absolute value fits into `number` */
  uint64_t number;
  const char *name, *text;        /* of a member of an object; of a text */
  struct gasan_json_value *first; /* of a container */
  struct gasan_json_value *next;  /* in the container */
};

/* Parses a whole text into the arena. Returns NULL and a message with the line for a text that is no JSON, is deeper
 * than 64 containers, has the same name twice in an object, or has a null character. */
const struct gasan_json_value *gasan_json_parse(struct gasan_arena *arena, const char *text, size_t length,
                                                char *message, size_t message_size);
/* Returns the member of an object; NULL: there is none, or the value is no object. */
const struct gasan_json_value *gasan_json_member(const struct gasan_json_value *object, const char *name);
/* Returns the length in bytes, 1 to 4, of the UTF-8 character at the beginning of the text; 0: it is none. */
size_t gasan_json_character(const char *text, size_t length);

#endif
