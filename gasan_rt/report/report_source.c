/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "proof/explain.h"

#define AROUND 3          /* lines before and after, for report_format=json */
#define MOST_SHOWN 160u   /* bytes of a line */
#define MOST_BEFORE 100u  /* of these, in front of the caret */
#define MOST_LINES 200000 /* a file with a line further down is not read */

/* The lines around the place, without line ends. */
struct excerpt {
  int first, count;
  char *lines[2 * AROUND + 1];
};

/* Opens a regular file only: reading a pipe could wait. */
static FILE *open_file(const char *path) {
  struct stat status;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return NULL;
  FILE *file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(descriptor, "r") : NULL;
  if (!file)
    close(descriptor);
  return file;
}

static FILE *open_below(const char *folder, const char *path) {
  char name[PATH_MAX];
  const int length = snprintf(name, sizeof name, "%s/%s", folder, path);
  return length > 0 && (size_t)length < sizeof name ? open_file(name) : NULL;
}

static FILE *open_source(const char *path) {
  const char *folder = gasan_options()->source_path;
  FILE *file = open_file(path);
  for (const char *rest = path; !file && *folder && rest; rest = strchr(rest, '/')) {
    rest += strspn(rest, "/");
    file = open_below(folder, rest);
  }
  return file ? file : open_file(gasan_file_name(path));
}

/* Replaces bytes that could control a terminal. */
static void clean(char *line) {
  line[strcspn(line, "\r\n")] = 0;
  for (unsigned char *at = (unsigned char *)line; *at; at++)
    if ((*at < 0x20 && *at != '\t') || *at == 0x7f)
      *at = '?';
}

static void read_excerpt(const char *path, int line, struct excerpt *excerpt) {
  *excerpt = (struct excerpt){0};
  FILE *file = line > 0 && line <= MOST_LINES ? open_source(path) : NULL;
  if (!file)
    return;
  char *text = NULL;
  size_t room = 0;
  for (int number = 1; number <= line + AROUND && getline(&text, &room, file) >= 0; number++) {
    char *copy = number >= line - AROUND ? strdup(text) : NULL;
    if (!copy)
      continue;
    clean(copy);
    if (!excerpt->count)
      excerpt->first = number;
    excerpt->lines[excerpt->count++] = copy;
  }
  free(text);
  fclose(file);
}

static void free_excerpt(struct excerpt *excerpt) {
  for (int i = 0; i < excerpt->count; i++)
    free(excerpt->lines[i]);
}

/* Returns the number of blanks, or tabs as in the line, that lead to the caret. Continuation bytes of UTF-8 take no
 * column. */
static void indent(const char *line, size_t bytes, char *blanks) {
  size_t count = 0;
  for (size_t i = 0; i < bytes && line[i]; i++)
    if (((unsigned char)line[i] & 0xc0) != 0x80)
      blanks[count++] = line[i] == '\t' ? '\t' : ' ';
  blanks[count] = 0;
}

static size_t next_character(const char *line, size_t at) {
  while (((unsigned char)line[at] & 0xc0) == 0x80)
    at++;
  return at;
}

static void print_facts(const struct gasan_proof_explanation *why, const char *margin) {
  for (uint32_t i = 0; why && i < why->count; i++)
    gasan_printf("%s%s = %s\n", i ? margin : "", why->facts[i].expression, why->facts[i].value);
}

/* Prints a part of a long line, with the caret's column in it. */
static void print_line(const char *line, int number, int column, const struct gasan_proof_explanation *why) {
  char blanks[MOST_BEFORE + 8], margin[MOST_BEFORE + 64];
  const size_t length = strlen(line);
  size_t caret = column > 0 ? (size_t)column - 1 : strspn(line, " \t"), begin = 0;
  if (caret > length)
    caret = strspn(line, " \t");
  if (caret > MOST_BEFORE)
    begin = next_character(line, caret - MOST_BEFORE);
  size_t end = length - begin > MOST_SHOWN ? next_character(line, begin + MOST_SHOWN) : length;
  gasan_printf("%5d | %s%.*s%s\n", number, begin ? "..." : "", (int)(end - begin), line + begin,
               end < length ? "..." : "");
  indent(line + begin, caret - begin, blanks);
  snprintf(margin, sizeof margin, "      | %s%s  ", begin ? "   " : "", blanks);
  gasan_printf("      | %s%s%s^%s%s", begin ? "   " : "", blanks, gasan_color(GASAN_COLOR_LOCATION),
               gasan_color(GASAN_COLOR_DEFAULT), why && why->count ? " " : "\n");
  print_facts(why, margin);
}

static void note(const struct excerpt *excerpt, const struct gasan_proof_explanation *why) {
  gasan_note_source((uint32_t)excerpt->first, (uint32_t)excerpt->count, (const char *const *)excerpt->lines);
  for (uint32_t i = 0; why && i < why->count; i++)
    gasan_note_value(why->facts[i].expression, why->facts[i].value);
  if (why && why->has_threads)
    gasan_note_block_threads(why->threads, GASAN_PROOF_BLOCK_WORDS);
}

void gasan_report_print_source(const char *file, int line, int column, const struct gasan_proof_explanation *why) {
  struct excerpt excerpt = {0};
  if (gasan_options()->print_source && file && *file)
    read_excerpt(file, line, &excerpt);
  note(&excerpt, why);
  const int at = line - excerpt.first;
  if (excerpt.count && at < excerpt.count) {
    print_line(excerpt.lines[at], line, column, why);
    gasan_printf("\n");
  } else if (why && why->count) {
    gasan_printf("      ");
    print_facts(why, "      ");
    gasan_printf("\n");
  }
  free_excerpt(&excerpt);
}

static void print_place(const char *file, int line, int column) {
  gasan_report_print_source(file, line, column, NULL);
}

void gasan_report_print_host_source(uint32_t stack) {
  gasan_stack_visit_summary(stack, print_place);
}
