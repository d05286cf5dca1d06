#include "driver/registers.h"
#include "base/proof.h"
#include "driver/elf_sections.h"
#include "driver/file.h"
#include "driver/ptx_text.h"
#include "driver/strings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all architectures that CUDA 12 and later know. A warp has its registers in one of four parts of the
 * multiprocessor. */
#define LARGEST_BLOCK 1024u
#define MOST_THREADS 2048u /* at once, of all blocks on a multiprocessor */
#define WARP 32u
#define PARTS 4u
#define PART_REGISTERS 16384u
#define REGISTER_UNIT 8u
#define MOST_REGISTERS 255u

static unsigned divide_up(unsigned value, unsigned unit) {
  return (value + unit - 1) / unit;
}

/* With which so many threads have room. */
static unsigned registers_for(unsigned threads) {
  unsigned warps = divide_up(divide_up(threads, WARP), PARTS);
  unsigned registers = PART_REGISTERS / (warps * WARP) / REGISTER_UNIT * REGISTER_UNIT;
  return registers < MOST_REGISTERS ? registers : MOST_REGISTERS;
}

/* A kernel's definition in PTX. */
struct entry {
  const char *begin, *name, *body, *end; /* body: at its brace; end: behind the line of the closing one */
  size_t name_size;
  unsigned threads; /* that may have to find room at once */
};

/* The closing brace of the one at `text`; NULL: there is none. Braces in comments and strings are none. */
static const char *find_closing(const char *text) {
  unsigned depth = 0;
  for (; *text; text++) {
    if (gasan_strings_start(text, "//")) {
      text += strcspn(text, "\n");
    } else if (gasan_strings_start(text, "/*")) {
      text = strstr(text + 2, "*/");
      if (!text)
        return NULL;
      text++;
    } else if (*text == '"') {
      text += 1 + strcspn(text + 1, "\"\n");
    } else if (*text == '{') {
      depth++;
    } else if (*text == '}' && --depth == 0) {
      return text;
    }
    if (!*text)
      return NULL;
  }
  return NULL;
}

/* The product of a directive's numbers: ".maxntid 32, 8, 1". */
static unsigned product(const char *numbers) {
  unsigned result = 1;
  for (;;) {
    char *end;
    unsigned long number = strtoul(numbers, &end, 10);
    if (end == numbers)
      return result;
    result *= (unsigned)number;
    numbers = end + strspn(end, " \t,");
  }
}

static const char *after_line(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

/* Cooperative groups find the barrier of a grid by special registers. All blocks of such a grid run at once. */
static bool reads_grid_barrier(const char *begin, const char *end) {
  static const char special[] = "%envreg";
  return memmem(begin, (size_t)(end - begin), special, strlen(special)) != NULL;
}

/* False: what begins in this line is no kernel's definition, or no such text as LLVM writes. */
static bool read_entry(const char *line, struct entry *entry) {
  const char *name = gasan_ptx_symbol(".entry", line);
  if (!name)
    return false;
  *entry = (struct entry){.begin = line, .name = name, .name_size = strcspn(name, " \t\n("), .threads = LARGEST_BLOCK};
  const char *at = after_line(line);
  for (; *at && *at != '{' && *at != ';'; at = after_line(at))
    for (size_t i = 0; i < 2; i++) {
      static const char *const directives[] = {".maxntid ", ".reqntid "};
      if (gasan_strings_start(at, directives[i]))
        entry->threads = product(at + strlen(directives[i]));
    }
  const char *closing = *at == '{' ? find_closing(at) : NULL;
  if (!closing)
    return false;
  entry->body = at;
  entry->end = after_line(closing);
  if (reads_grid_barrier(at, entry->end))
    entry->threads = MOST_THREADS;
  return true;
}

/* Of .nv.info: attributes that begin with format, number and, in this format, the size of what follows. */
#define INFO_FORMAT_SIZED 4
#define INFO_REGISTERS 0x2f

static bool has_name(const struct entry *entry, const char *name) {
  return strlen(name) == entry->name_size && !memcmp(entry->name, name, entry->name_size);
}

/* 0: the binary does not say. */
static unsigned registers_of(struct gasan_bytes binary, struct gasan_bytes info, const struct entry *entry) {
  size_t at = 0;
  while (info.size - at >= 4) {
    unsigned size = info.data[at] == INFO_FORMAT_SIZED ? info.data[at + 2] | (unsigned)info.data[at + 3] << 8 : 0;
    if (info.size - at - 4 < size)
      break;
    uint32_t values[2]; /* symbol, count */
    if (info.data[at + 1] == INFO_REGISTERS && size == sizeof values) {
      memcpy(values, info.data + at + 4, sizeof values);
      if (has_name(entry, gasan_elf_symbol(binary, values[0])))
        return values[1];
    }
    at += 4 + size;
  }
  return 0;
}

/* The program's own: variants are launched only where they fit. */
static bool is_kernel_itself(const struct entry *entry) {
  return !gasan_strings_start(entry->name, GASAN_FAST_PREFIX) &&
         !gasan_strings_start(entry->name, GASAN_BOUNDED_PREFIX);
}

static void write_variant(FILE *file, const struct entry *entry) {
  fwrite(entry->begin, 1, (size_t)(entry->name - entry->begin), file);
  fputs(GASAN_WIDE_PREFIX, file);
  fwrite(entry->name, 1, (size_t)(entry->end - entry->name), file);
  fputc('\n', file);
}

/* .maxnreg, and not .maxntid: with a block's size alone, ptxas makes do with 32 registers in some kernels that spill.
 */
static void write_fitted(FILE *file, const struct entry *entry) {
  static const char directive[] = ".maxnreg ";
  for (const char *line = entry->begin; line < entry->body; line = after_line(line))
    if (!gasan_strings_start(line, directive)) /* which is for more */
      fwrite(line, 1, (size_t)(after_line(line) - line), file);
  fprintf(file, "%s%u\n", directive, registers_for(entry->threads));
  fwrite(entry->body, 1, (size_t)(entry->end - entry->body), file);
}

/* The first kernel from this line on. */
static bool find_entry(const char *line, struct entry *entry) {
  while (*line && !read_entry(line, entry))
    line = after_line(line);
  return *line != 0;
}

/* In a function, which any kernel may call. */
static bool reads_barrier_elsewhere(const char *text) {
  struct entry entry;
  for (; find_entry(text, &entry); text = entry.end)
    if (reads_grid_barrier(text, entry.begin))
      return true;
  return reads_grid_barrier(text, text + strlen(text));
}

bool gasan_registers_fit(const char *assembly, const char *binary, const char *fitted, bool variants) {
  struct gasan_bytes text, object, info;
  if (!gasan_file_try_read(assembly, &text) || !gasan_file_try_read(binary, &object) ||
      !gasan_elf_find_section(object, ".nv.info", &info))
    return false;
  char *output = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&output, &size);
  if (!file)
    return false;
  bool changed = false, barrier_elsewhere = reads_barrier_elsewhere((const char *)text.data);
  const char *written = (const char *)text.data;
  struct entry entry;
  for (const char *line = written; find_entry(line, &entry); line = entry.end) {
    if (barrier_elsewhere)
      entry.threads = MOST_THREADS;
    if (!is_kernel_itself(&entry) || registers_of(object, info, &entry) <= registers_for(entry.threads))
      continue;
    fwrite(written, 1, (size_t)(entry.begin - written), file);
    if (variants)
      write_variant(file, &entry);
    write_fitted(file, &entry);
    written = entry.end;
    changed = true;
  }
  fputs(written, file);
  fclose(file);
  if (changed)
    gasan_file_write(fitted, output, size);
  free(output);
  return changed;
}
