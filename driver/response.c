/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/response.h"
#include "driver/file.h"
#include "driver/message.h"

#include <ctype.h>
#include <string.h>

#define MAX_NESTING 32

static void expand_argument(struct gasan_strings *expanded, const char *argument, int nesting);

/* Copies one argument from `text` to `argument`, without quotes. A backslash quotes the next character. Returns the
 * position after the argument. */
static const char *read_argument(const char *text, char *argument) {
  char quote = 0;
  for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
    if (quote && *text == quote)
      quote = 0;
    else if (!quote && (*text == '"' || *text == '\''))
      quote = *text;
    else if (*text == '\\' && quote != '\'' && text[1])
      *argument++ = *++text;
    else
      *argument++ = *text;
  }
  *argument = '\0';
  return text;
}

struct gasan_strings gasan_response_words(const char *text) {
  struct gasan_strings words = {0};
  for (;;) {
    while (isspace((unsigned char)*text))
      text++;
    if (!*text)
      return words;
    char *word = gasan_strings_allocate(strlen(text) + 1);
    text = read_argument(text, word);
    gasan_strings_push(&words, word);
  }
}

static void expand_text(struct gasan_strings *expanded, const char *text, int nesting) {
  struct gasan_strings words = gasan_response_words(text);
  for (size_t i = 0; i < words.count; i++)
    expand_argument(expanded, words.items[i], nesting);
}

static void expand_argument(struct gasan_strings *expanded, const char *argument, int nesting) {
  struct gasan_bytes contents;
  if (argument[0] != '@' || !gasan_file_try_read(argument + 1, &contents)) {
    gasan_strings_push(expanded, argument);
    return;
  }
  if (nesting == MAX_NESTING)
    gasan_message_fatal("response file '%s' includes itself", argument + 1);
  expand_text(expanded, (const char *)contents.data, nesting + 1);
}

struct gasan_strings gasan_response_expand(int count, char **arguments) {
  struct gasan_strings expanded = {0};
  for (int i = 0; i < count; i++)
    expand_argument(&expanded, arguments[i], 0);
  return expanded;
}

char *gasan_response_quote(const struct gasan_strings *arguments) {
  size_t length = 0;
  for (size_t i = 0; i < arguments->count; i++)
    length += 2 * strlen(arguments->items[i]) + 3;
  char *text = gasan_strings_allocate(length + 1), *end = text;
  for (size_t i = 0; i < arguments->count; i++) {
    *end++ = '"';
    for (const char *from = arguments->items[i]; *from; from++) {
      if (*from == '"' || *from == '\\')
        *end++ = '\\';
      *end++ = *from;
    }
    *end++ = '"';
    *end++ = '\n';
  }
  return text;
}
