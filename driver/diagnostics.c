/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/diagnostics.h"
#include "driver/message.h"
#include "driver/strings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct gasan_strings printed; /* whole diagnostics */

/* Returns the text without the terminal's colour codes. */
static char *without_colours(const char *text, size_t length) {
  char *plain = gasan_strings_allocate(length + 1), *end = plain;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\033' && i + 1 < length && text[i + 1] == '[') {
      while (i < length && text[i] != 'm' && text[i] != 'K')
        i++;
      continue;
    }
    *end++ = text[i];
  }
  return plain;
}

static bool starts_include_stack(const char *line) {
  return gasan_strings_start(line, "In file included from ") || gasan_strings_start(line, "In module ");
}

static bool is_headline(const char *line) {
  return strstr(line, ": warning: ") || strstr(line, ": error: ") || strstr(line, ": fatal error: ");
}

static bool is_count(const char *line) {
  return strstr(line, " generated") && (strstr(line, " warning") || strstr(line, " error")) && line[0] >= '1' &&
         line[0] <= '9';
}

struct lines {
  const char *rest;
};

struct line {
  const char *start;
  size_t length; /* with its newline */
  char *plain;   /* without colours and newline */
};

static bool next_line(struct lines *lines, struct line *line) {
  if (!*lines->rest)
    return false;
  const char *end = strchrnul(lines->rest, '\n');
  line->start = lines->rest;
  line->length = (size_t)(end - lines->rest) + (*end == '\n');
  line->plain = without_colours(lines->rest, (size_t)(end - lines->rest));
  lines->rest += line->length;
  return true;
}

static const char remedy[] =
    "for a program that runs on GPUs only, -fsanitize-gpu-address-devices=cuda makes no code for "
    "the CPU device, and no such warning";
static bool advised;

/* Names the remedy once, after the first such warning. */
static void advise(const char *diagnostic) {
  if (advised || !strstr(diagnostic, "warning: ") || !strstr(diagnostic, " is not supported on the CPU device"))
    return;
  advised = true;
  gasan_message_note("%s", remedy);
}

/* Prints one diagnostic unless it was printed before. Returns true if it was new. */
static bool print_once(const char *start, const char *end) {
  if (start == end)
    return false;
  const char *text = gasan_strings_format("%.*s", (int)(end - start), start);
  if (gasan_strings_contain(&printed, text))
    return false;
  gasan_strings_push(&printed, text);
  fputs(text, stderr);
  advise(without_colours(text, strlen(text)));
  return true;
}

void gasan_diagnostics_print(const char *text) {
  struct lines lines = {text};
  struct line line;
  const char *start = text;  /* of the diagnostic being read */
  bool has_headline = false; /* the next headline starts another diagnostic */
  bool printed_some = false;
  advised |= strstr(text, remedy) != NULL; /* the command was this driver again */
  while (next_line(&lines, &line)) {
    bool opens = starts_include_stack(line.plain) || (is_headline(line.plain) && has_headline);
    if (is_count(line.plain) || opens) {
      printed_some |= print_once(start, line.start);
      start = line.start;
      has_headline = false;
    }
    if (is_count(line.plain)) {
      if (printed_some)
        fwrite(line.start, 1, line.length, stderr);
      start = line.start + line.length;
    } else if (is_headline(line.plain)) {
      has_headline = true;
    }
  }
  print_once(start, lines.rest);
}

void gasan_diagnostics_forget(void) {
  printed = (struct gasan_strings){0};
}
