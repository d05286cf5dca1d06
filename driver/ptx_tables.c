/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/ptx_tables.h"
#include "base/abi.h"
#include "base/proof_table.h"
#include "driver/file.h"
#include "driver/strings.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".visible .global .align 8 "

/* An array of bytes: HEAD ".b8 NAME[COUNT] = {1, 2, 3};" */
struct table {
  const char *name, *numbers, *end; /* end: after its line */
  uint64_t count;                   /* of bytes */
};

/* Reads one of the two tables. Returns false if none, as LLVM writes it, begins in this line. */
static bool read_table(const char *line, struct table *table) {
  static const char bytes[] = HEAD ".b8 ";
  static const char *const names[] = {GASAN_SITES_SYMBOL "[", GASAN_PROOFS_SYMBOL "["};
  if (!gasan_strings_start(line, bytes))
    return false;
  table->name = line + strlen(bytes);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!gasan_strings_start(table->name, names[i]))
      continue;
    char *end;
    table->count = strtoull(table->name + strlen(names[i]), &end, 10);
    const char *last = end + strcspn(end, "\n");
    table->numbers = end + strlen("] = {");
    table->end = last + (*last == '\n');
    return table->count && gasan_strings_start(end, "] = {") && last[-1] == ';';
  }
  return false;
}

/* Returns the next eight bytes as a word, and advances past the comma behind them. */
static uint64_t read_word(const char **numbers) {
  uint64_t word = 0;
  for (unsigned shift = 0; shift < 64 && **numbers >= '0' && **numbers <= '9'; shift += 8) {
    unsigned byte = 0;
    for (; **numbers >= '0' && **numbers <= '9'; ++*numbers)
      byte = byte * 10 + (unsigned)(**numbers - '0');
    word |= (uint64_t)(byte & 0xff) << shift;
    *numbers += strspn(*numbers, ", ");
  }
  return word;
}

static void write_words(FILE *file, const struct table *table) {
  const uint64_t words = (table->count + 7) / 8;
  const char *numbers = table->numbers;
  fprintf(file, HEAD ".b64 %.*s[%" PRIu64 "] = {", (int)strcspn(table->name, "["), table->name, words);
  for (uint64_t i = 0; i < words; i++)
    fprintf(file, i ? ", %" PRIu64 : "%" PRIu64, read_word(&numbers));
  fputs("};\n", file);
}

bool gasan_ptx_tables_shorten(const char *assembly, const char *shortened) {
  static const char start[] = "\n" HEAD;
  struct gasan_bytes text;
  char *output = NULL;
  size_t size = 0;
  FILE *file = gasan_file_try_read(assembly, &text) ? open_memstream(&output, &size) : NULL;
  if (!file)
    return false;
  const char *written = (const char *)text.data, *rest = written, *at;
  while ((at = strstr(rest, start))) {
    const char *line = at + 1;
    struct table table;
    rest = line;
    if (!read_table(line, &table))
      continue;
    fwrite(written, 1, (size_t)(line - written), file);
    write_words(file, &table);
    written = table.end;
    rest = written - 1; /* the next line may have a table, too */
  }
  const bool found = written != (const char *)text.data;
  fputs(written, file);
  fclose(file);
  if (found)
    gasan_file_write(shortened, output, size);
  free(output);
  return found;
}
