/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/registers.h"
#include "base/proof_table.h"
#include "driver/file.h"
#include "driver/nv_info.h"
#include "driver/ptx_text.h"
#include "driver/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of all architectures since CUDA 12. Each of a multiprocessor's four parts has its own registers and warps. */
#define LARGEST_BLOCK 1024u
#define MOST_THREADS 2048u /* at once, in all blocks of a multiprocessor */
#define WARP 32u
#define PARTS 4u
#define PART_REGISTERS 16384u
#define REGISTER_UNIT 8u
#define MOST_REGISTERS 255u

static unsigned divide_up(unsigned value, unsigned unit) {
  return (value + unit - 1) / unit;
}

/* Returns the greatest number of registers for each thread with which this number of threads fits. */
static unsigned registers_for(unsigned threads) {
  unsigned warps = divide_up(divide_up(threads, WARP), PARTS);
  unsigned registers = PART_REGISTERS / (warps * WARP) / REGISTER_UNIT * REGISTER_UNIT;
  return registers < MOST_REGISTERS ? registers : MOST_REGISTERS;
}

/* Returns the number of threads that fit if each has so many registers. */
static unsigned threads_for(unsigned registers) {
  unsigned part_warps = PART_REGISTERS / (divide_up(registers ? registers : 1, REGISTER_UNIT) * REGISTER_UNIT * WARP);
  return part_warps * PARTS * WARP;
}

/* The blocks that are counted have so many threads. */
#define BLOCK_OF_COUNTS 256u

unsigned gasan_registers_blocks(unsigned registers) {
  unsigned blocks = threads_for(registers) / BLOCK_OF_COUNTS;
  return blocks < MOST_THREADS / BLOCK_OF_COUNTS ? blocks : MOST_THREADS / BLOCK_OF_COUNTS;
}

/* Registers are limited by .maxnreg, not by .maxntid: if ptxas knows only a block's size, it limits some kernels that
 * spill to 32 registers. */
#define MOST_DIRECTIVE ".maxnreg "

/* A kernel's definition in PTX. */
struct entry {
  const char *begin, *name, *body, *end; /* body: its opening brace; end: after the line of its closing brace */
  size_t name_size;
  unsigned threads; /* threads that must fit at once */
  bool bounded;     /* ptxas ensures that they fit */
  unsigned most;    /* limit of its registers; 0: none */
};

/* Returns the product of a directive's numbers (".maxntid 32, 8, 1"). 0: the line has another directive. */
static unsigned number_of(const char *line, const char *directive) {
  if (!gasan_strings_start(line, directive))
    return 0;
  const char *numbers = line + strlen(directive);
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

/* Returns true for code that waits for its grid: cooperative groups read the address of the grid's barrier from special
 * registers. All blocks of such a grid run at the same time. */
static bool reads_grid_barrier(const char *begin, const char *end) {
  static const char special[] = "%envreg";
  return memmem(begin, (size_t)(end - begin), special, strlen(special)) != NULL;
}

static void let_grid_wait(struct entry *entry) {
  entry->threads = MOST_THREADS;
  entry->bounded = false;
}

/* Reads a kernel's definition. Returns false if none, as LLVM writes it, begins in this line. */
static bool read_entry(const char *line, struct entry *entry) {
  const char *name = gasan_ptx_symbol(".entry", line);
  if (!name)
    return false;
  *entry = (struct entry){.begin = line, .name = name, .name_size = strcspn(name, " \t\n("), .threads = LARGEST_BLOCK};
  const char *at = gasan_ptx_after_line(line);
  for (; *at && *at != '{' && *at != ';'; at = gasan_ptx_after_line(at)) {
    unsigned threads = number_of(at, ".maxntid ") + number_of(at, ".reqntid ");
    if (threads) {
      entry->threads = threads;
      entry->bounded = true;
    }
    entry->most += number_of(at, MOST_DIRECTIVE);
  }
  const char *closing = *at == '{' ? gasan_ptx_closing(at) : NULL;
  if (!closing)
    return false;
  entry->body = at;
  entry->end = gasan_ptx_after_line(closing);
  if (reads_grid_barrier(at, entry->end))
    let_grid_wait(entry);
  return true;
}

static bool has_name(const struct entry *entry, const char *name) {
  return strlen(name) == entry->name_size && !memcmp(entry->name, name, entry->name_size);
}

/* Returns the kernel's number of registers. 0: the binary does not have this number. */
static unsigned registers_of(struct gasan_nv_info info, const struct entry *entry) {
  unsigned registers;
  const char *name;
  while ((name = gasan_nv_info_next(&info, &registers)))
    if (has_name(entry, name))
      return registers;
  return 0;
}

static const char *const variant_prefixes[] = {GASAN_PROVEN_PREFIX, GASAN_BOUNDED_PREFIX, GASAN_WIDE_PREFIX,
                                               GASAN_FITTED_PREFIX};
#define VARIANT_PREFIXES (sizeof variant_prefixes / sizeof *variant_prefixes)

/* Returns true for the program's own kernels, not for variants, which are launched only where they fit. */
static bool is_kernel_itself(const struct entry *entry) {
  for (size_t i = 0; i < VARIANT_PREFIXES; i++)
    if (gasan_strings_start(entry->name, variant_prefixes[i]))
      return false;
  return true;
}

/* Returns true if the entry is the kernel's variant with this prefix. */
static bool is_variant_of(const struct entry *entry, const char *prefix, const struct entry *kernel) {
  size_t size = strlen(prefix);
  return gasan_strings_start(entry->name, prefix) && entry->name_size == size + kernel->name_size &&
         !memcmp(entry->name + size, kernel->name, kernel->name_size);
}

/* Writes the kernel with a prefix before its name. */
static void write_named(FILE *file, const char *prefix, const struct entry *entry) {
  fwrite(entry->begin, 1, (size_t)(entry->name - entry->begin), file);
  fputs(prefix, file);
  fwrite(entry->name, 1, (size_t)(entry->end - entry->name), file);
  fputc('\n', file);
}

/* Writes the kernel with a limit of registers, and a prefix before its name. */
static void write_limited(FILE *file, const char *prefix, const struct entry *entry, unsigned registers) {
  fwrite(entry->begin, 1, (size_t)(entry->name - entry->begin), file);
  fputs(prefix, file);
  for (const char *line = entry->name; line < entry->body; line = gasan_ptx_after_line(line))
    if (!number_of(line, MOST_DIRECTIVE)) /* the old limit, which is higher */
      fwrite(line, 1, (size_t)(gasan_ptx_after_line(line) - line), file);
  fprintf(file, MOST_DIRECTIVE "%u\n", registers);
  fwrite(entry->body, 1, (size_t)(entry->end - entry->body), file);
}

/* Writes the kernel with so few registers that its threads fit. */
static void write_fitted(FILE *file, const char *prefix, const struct entry *entry) {
  write_limited(file, prefix, entry, registers_for(entry->threads));
}

/* Finds the first kernel from this line on. */
static bool find_entry(const char *line, struct entry *entry) {
  while (*line && !read_entry(line, entry))
    line = gasan_ptx_after_line(line);
  return *line != 0;
}

/* Returns true if a function, which any kernel may call, waits for the grid. */
static bool reads_barrier_elsewhere(const char *text) {
  struct entry entry;
  for (; find_entry(text, &entry); text = entry.end)
    if (reads_grid_barrier(text, entry.begin))
      return true;
  return reads_grid_barrier(text, text + strlen(text));
}

/* The limits to set, and facts about the binary. */
struct wish {
  bool (*limits)(const struct entry *entry, const char *text, const struct wish *wish);
  const struct gasan_nv_info *info; /* NULL: nothing */
  bool variants;                    /* keeps what a limit may make slower, as variants */
  bool guesses;                     /* also limits what probably takes too many registers */
};

static bool find_variant(const char *text, const char *prefix, const struct entry *kernel, struct entry *variant) {
  for (; find_entry(text, variant); text = variant->end)
    if (is_variant_of(variant, prefix, kernel))
      return true;
  return false;
}

static bool has_word(const struct entry *entry, const char *word) {
  return memmem(entry->body, (size_t)(entry->end - entry->body), word, strlen(word)) != NULL;
}

static bool calls(const struct entry *entry) {
  return has_word(entry, "call");
}

/* Returns true if the entry may have checks. They call a report, or report by inlined code, which ends the thread. */
static bool may_report(const struct entry *entry) {
  return calls(entry) || has_word(entry, "exit;");
}

/* Lowers the entry's threads to those of the largest block that the plain program can launch. A proven variant without
 * reports has no check, and is the code of the plain program, apart from effects of its place in the file on ptxas. So
 * its registers show which blocks the plain program can launch. */
static void let_plain_fit(struct entry *entry, const char *text, const struct gasan_nv_info *info) {
  struct entry proven;
  if (!find_variant(text, GASAN_PROVEN_PREFIX, entry, &proven) || may_report(&proven))
    return;
  unsigned registers = registers_of(*info, &proven);
  unsigned threads = registers > REGISTER_UNIT ? threads_for(registers - REGISTER_UNIT) : LARGEST_BLOCK;
  if (threads < entry->threads)
    entry->threads = threads;
}

/* Of PTX that ptxas assembles only once, because a second run would take as long as the first one. A program with so
 * much code mostly launches few of its kernels, unless it has only few. */
#define LARGE_TEXT (640u << 10)
#define LARGEST_TEXT (1536u << 10) /* of few kernels */
#define FEW_KERNELS 4u
/* PTX of a kernel that may take more than 64 registers, in large PTX and in other PTX */
#define LARGE_KERNEL (24u << 10)
#define SIZABLE_KERNEL (14u << 10)

static bool has_few_kernels(const char *text) {
  unsigned count = 0;
  for (const char *at = text; count <= FEW_KERNELS && (at = strstr(at, ".entry " GASAN_PROVEN_PREFIX)); at++)
    count++;
  return count <= FEW_KERNELS;
}

static bool is_large(const char *text) {
  return !memchr(text, 0, LARGE_TEXT) && (!memchr(text, 0, LARGEST_TEXT) || !has_few_kernels(text));
}

/* Returns true if the kernel has a variant for most of its launches. In large PTX, the proven variant counts, too. */
static bool has_variant(const struct entry *kernel, const char *text) {
  struct entry variant;
  return find_variant(text, GASAN_BOUNDED_PREFIX, kernel, &variant) ||
         (is_large(text) && find_variant(text, GASAN_PROVEN_PREFIX, kernel, &variant));
}

/* Finds the proven variant of a kernel, if some block that fits the kernel does not fit the variant, and there is no
 * fitted variant yet. */
static bool find_large_proven(const struct entry *kernel, const char *text, const struct wish *wish,
                              struct entry *variant) {
  struct entry fitted;
  if (!wish->variants || kernel->bounded || is_large(text) || !find_variant(text, GASAN_PROVEN_PREFIX, kernel, variant))
    return false;
  variant->threads = kernel->threads;
  return wish->limits(variant, text, wish) &&
         !find_variant(text, GASAN_FITTED_PREFIX GASAN_PROVEN_PREFIX, kernel, &fitted);
}

/* The most registers that a limit may take from a bounded variant. With a lower limit, ptxas spills too many. */
#define MOST_LOWERED 16u

/* Finds the proven variant of the kernel that this bounded variant belongs to. */
static bool find_proven_of(const struct entry *bounded, const char *text, struct entry *proven) {
  static const char prefix[] = GASAN_BOUNDED_PREFIX;
  struct entry kernel = *bounded;
  if (!gasan_strings_start(bounded->name, prefix))
    return false;
  kernel.name += strlen(prefix);
  kernel.name_size -= strlen(prefix);
  return find_variant(text, GASAN_PROVEN_PREFIX, &kernel, proven);
}

/* Returns the number of registers with which as many blocks of a bounded variant run at once as of the proven one. 0:
 * no limit, because the proven variant does not run in half as many blocks again, or because ptxas would spill too
 * many. A limit makes ptxas run twice. */
static unsigned bounded_limit(const struct entry *bounded, const char *text, const struct wish *wish) {
  struct entry proven;
  if (!wish->info || !wish->variants || is_large(text) || !find_proven_of(bounded, text, &proven))
    return 0;
  const unsigned registers = registers_of(*wish->info, bounded), least = registers_of(*wish->info, &proven),
                 blocks = gasan_registers_blocks(least);
  if (!least || 2 * blocks < 3 * gasan_registers_blocks(registers))
    return 0;
  const unsigned limit = registers_for(blocks * BLOCK_OF_COUNTS);
  return registers - limit <= MOST_LOWERED ? limit : 0;
}

/* Writes what the limit makes slower, as a variant, unless the kernel has another variant for its launches. */
static void write_wide(FILE *file, const struct entry *kernel, const char *text, const struct wish *wish) {
  if (wish->variants && !has_variant(kernel, text))
    write_named(file, GASAN_WIDE_PREFIX, kernel);
}

/* Writes the PTX with a limit of registers for the kernels that need one. Returns false, and writes nothing, if there
 * are none. */
static bool rewrite(const char *text, const char *path, const struct wish *wish) {
  char *output = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&output, &size);
  if (!file)
    return false;
  const bool barrier_elsewhere = reads_barrier_elsewhere(text);
  const char *written = text;
  struct entry entry;
  for (const char *line = text; find_entry(line, &entry); line = entry.end) {
    if (barrier_elsewhere)
      let_grid_wait(&entry);
    if (!is_kernel_itself(&entry)) {
      const unsigned limit = bounded_limit(&entry, text, wish);
      if (!limit)
        continue;
      fwrite(written, 1, (size_t)(entry.begin - written), file);
      write_limited(file, "", &entry, limit);
      written = entry.end;
      continue;
    }
    if (wish->info && !entry.bounded && entry.threads == LARGEST_BLOCK)
      let_plain_fit(&entry, text, wish->info);
    struct entry proven;
    const bool is_limited = wish->limits(&entry, text, wish),
               has_large_proven = find_large_proven(&entry, text, wish, &proven);
    if (!is_limited && !has_large_proven)
      continue;
    fwrite(written, 1, (size_t)(entry.begin - written), file);
    if (has_large_proven)
      write_fitted(file, GASAN_FITTED_PREFIX, &proven);
    if (is_limited) {
      write_wide(file, &entry, text, wish);
      write_fitted(file, "", &entry);
    } else {
      write_named(file, "", &entry);
    }
    written = entry.end;
  }
  const bool changed = written != text;
  fputs(written, file);
  fclose(file);
  if (changed)
    gasan_file_write(path, output, size);
  free(output);
  return changed;
}

static bool takes_too_many(const struct entry *entry, const char *text, const struct wish *wish) {
  (void)text;
  return registers_of(*wish->info, entry) > registers_for(entry->threads);
}

bool gasan_registers_fit(const char *assembly, const char *binary, const char *fitted, bool variants) {
  struct gasan_bytes text;
  struct gasan_nv_info info;
  return gasan_file_try_read(assembly, &text) && gasan_nv_info_open(binary, &info) &&
         rewrite((const char *)text.data, fitted,
                 &(struct wish){.limits = takes_too_many, .info = &info, .variants = variants});
}

/* Returns true for a kernel, or a proven variant, that probably takes more than 64 registers. If it does, a second run
 * of ptxas would make the same code; if it does not, one variant was assembled for nothing. The plain kernel's own need
 * is known after a first run only. */
static bool takes_many(const struct entry *entry, const char *text) {
  const size_t size = (size_t)(entry->end - entry->body);
  struct entry proven;
  if (is_large(text))
    return size >= LARGE_KERNEL;
  return size >= SIZABLE_KERNEL && calls(find_variant(text, GASAN_PROVEN_PREFIX, entry, &proven) ? &proven : entry);
}

/* Returns true for a kernel that is seldom launched itself, or takes many registers. Excludes kernels whose
 * instructions need many registers, which ptxas may refuse to assemble with fewer. */
static bool is_limited_first(const struct entry *entry, const char *text, const struct wish *wish) {
  static const char *const needs_many[] = {"wgmma", "setmaxnreg", "tcgen05"};
  for (size_t i = 0; i < sizeof needs_many / sizeof *needs_many; i++)
    if (has_word(entry, needs_many[i]))
      return false;
  return !entry->bounded && !entry->most && entry->threads == LARGEST_BLOCK &&
         (has_variant(entry, text) || ((wish->guesses || is_large(text)) && takes_many(entry, text)));
}

bool gasan_registers_limit_first(const char *assembly, const char *limited, bool guesses) {
  struct gasan_bytes text;
  return gasan_file_try_read(assembly, &text) &&
         rewrite((const char *)text.data, limited,
                 &(struct wish){.limits = is_limited_first, .variants = true, .guesses = guesses});
}

static bool may_take_too_many(const struct entry *entry, const char *text, const struct wish *wish) {
  (void)text;
  (void)wish;
  return !entry->bounded && (!entry->most || entry->most > registers_for(entry->threads));
}

bool gasan_registers_limit(const char *assembly, const char *limited) {
  struct gasan_bytes text;
  return gasan_file_try_read(assembly, &text) &&
         rewrite((const char *)text.data, limited, &(struct wish){.limits = may_take_too_many});
}
