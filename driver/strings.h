/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing lists of strings, mainly for command lines. Lists and their strings live until the process ends; nothing
 * is freed. Running out of memory ends the process. For one thread only. */
#ifndef GASAN_DRIVER_STRINGS_H
#define GASAN_DRIVER_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed list is empty. `items` ends with a null pointer (execv's form) unless the list never had an item. */
struct gasan_strings {
  const char **items;
  size_t count, capacity;
};

void *gasan_strings_allocate(size_t bytes);

/* Stores the pointer, without a copy of the text. */
void gasan_strings_push(struct gasan_strings *list, const char *text);
void gasan_strings_push_all(struct gasan_strings *list, const struct gasan_strings *more);
/* Pushes each of the arguments up to a null pointer. */
void gasan_strings_push_each(struct gasan_strings *list, ...) __attribute__((sentinel));
bool gasan_strings_contain(const struct gasan_strings *list, const char *text);

char *gasan_strings_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns true if the text is one of the options, which end with NULL. */
bool gasan_strings_is_one_of(const char *text, const char *const *options);
bool gasan_strings_start(const char *text, const char *prefix);
bool gasan_strings_end(const char *text, const char *suffix);
/* Returns the parts between separators, without empty parts. */
struct gasan_strings gasan_strings_split(const char *text, char separator);
char *gasan_strings_join(const struct gasan_strings *list, char separator);

/* Returns the part after the last slash. */
const char *gasan_strings_basename(const char *path);
/* Returns `path` with its extension, if any, replaced by `extension` (with the dot). */
char *gasan_strings_replace_extension(const char *path, const char *extension);

#endif
