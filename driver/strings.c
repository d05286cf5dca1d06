/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/strings.h"
#include "driver/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *gasan_strings_allocate(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory)
    gasan_message_fatal("out of memory");
  return memory;
}

void gasan_strings_push(struct gasan_strings *list, const char *text) {
  if (list->count + 2 > list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 16;
    const char **items = gasan_strings_allocate(capacity * sizeof *items);
    if (list->count)
      memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = text;
  list->items[list->count] = NULL;
}

void gasan_strings_push_all(struct gasan_strings *list, const struct gasan_strings *more) {
  for (size_t i = 0; i < more->count; i++)
    gasan_strings_push(list, more->items[i]);
}

void gasan_strings_push_each(struct gasan_strings *list, ...) {
  va_list arguments;
  va_start(arguments, list);
  for (const char *text; (text = va_arg(arguments, const char *));)
    gasan_strings_push(list, text);
  va_end(arguments);
}

bool gasan_strings_contain(const struct gasan_strings *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i], text))
      return true;
  return false;
}

char *gasan_strings_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    gasan_message_fatal("out of memory");
  return text;
}

bool gasan_strings_is_one_of(const char *text, const char *const *options) {
  while (*options && strcmp(text, *options))
    options++;
  return *options;
}

bool gasan_strings_start(const char *text, const char *prefix) {
  return !strncmp(text, prefix, strlen(prefix));
}

bool gasan_strings_end(const char *text, const char *suffix) {
  size_t length = strlen(text), suffix_length = strlen(suffix);
  return length >= suffix_length && !strcmp(text + length - suffix_length, suffix);
}

struct gasan_strings gasan_strings_split(const char *text, char separator) {
  struct gasan_strings parts = {0};
  while (*text) {
    const char *end = strchrnul(text, separator);
    if (end > text)
      gasan_strings_push(&parts, gasan_strings_format("%.*s", (int)(end - text), text));
    text = *end ? end + 1 : end;
  }
  return parts;
}

char *gasan_strings_join(const struct gasan_strings *list, char separator) {
  size_t length = 0;
  for (size_t i = 0; i < list->count; i++)
    length += strlen(list->items[i]) + 1;
  char *text = gasan_strings_allocate(length + 1), *end = text;
  for (size_t i = 0; i < list->count; i++) {
    if (i)
      *end++ = separator;
    end = stpcpy(end, list->items[i]);
  }
  return text;
}

const char *gasan_strings_basename(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *gasan_strings_replace_extension(const char *path, const char *extension) {
  const char *name = gasan_strings_basename(path), *dot = strrchr(name, '.');
  int length = dot && dot != name ? (int)(dot - path) : (int)strlen(path);
  return gasan_strings_format("%.*s%s", length, path, extension);
}
