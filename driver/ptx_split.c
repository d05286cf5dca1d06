/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/ptx_split.h"
#include "base/abi.h"
#include "base/proof_table.h"
#include "driver/file.h"
#include "driver/ptx_text.h"
#include "driver/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The only variable that the runtime defines and that only the runtime uses. */
#define RUNTIME_VARIABLE "__gasan_frames_slot"

/* Of kernels and variants that report. ptxas takes about two seconds for so many copies of the runtime. */
#define MOST_COPIES 16

/* Of PTX whose functions call the runtime, in bytes. bench/compile's hydro_elements has 320 KB; ptxas takes 19 s for
 * its parts and 26 s for the whole. */
#define MOST_WITH_FUNCTIONS (256 << 10)

/* Of PTX that is assembled as a whole because of its proven variants, in bytes. ptxas keeps copies of the runtime in
 * large kernels at a high price: bench/compile's cub_segments has 8 MB and takes 60 s as a whole, 35 s divided, and its
 * proven variants spill registers as a whole only. */
#define MOST_WITH_BARRIERS (1 << 20)

/* A statement outside of functions. */
struct statement {
  const char *begin, *end; /* end: after its last line */
  const char *body;        /* the opening brace of a function's code; NULL: no code */
};

static bool is_function(const char *line) {
  return gasan_ptx_symbol(".func", line) || gasan_ptx_symbol(".entry", line) ||
         gasan_strings_start(line, ".extern .func");
}

/* Returns the semicolon or opening brace that ends a function's head, or NULL. */
static const char *end_of_head(const char *text) {
  for (; *text; text++) {
    if (gasan_strings_start(text, "//"))
      text += strcspn(text, "\n");
    if (*text == ';' || *text == '{')
      return text;
    if (!*text)
      return NULL;
  }
  return NULL;
}

/* Reads the next statement. LLVM begins statements with a dot in the first column, and writes all but functions in one
 * line. Returns false at the end, or if the text is not as expected. */
static bool next_statement(const char *text, struct statement *statement) {
  while (*text && *text != '.')
    text = gasan_ptx_after_line(text);
  if (!*text)
    return false;
  *statement = (struct statement){.begin = text, .end = gasan_ptx_after_line(text)};
  if (!is_function(text))
    return true;
  const char *last = end_of_head(text);
  if (last && *last == '{') {
    statement->body = last;
    last = gasan_ptx_closing(last);
  }
  statement->end = last ? gasan_ptx_after_line(last) : text + strlen(text);
  return last != NULL;
}

static bool declares(const struct statement *statement, const char *symbol) {
  const char *name = memmem(statement->begin, (size_t)(statement->end - statement->begin), symbol, strlen(symbol));
  return name && name < statement->begin + strcspn(statement->begin, "[;{");
}

static void write_text(FILE *file, const char *begin, const char *end) {
  fwrite(begin, 1, (size_t)(end - begin), file);
}

/* Declares the runtime's function or variable as external.
 *
 * Drops `.noreturn`: for external functions that do not return, ptxas assumes that nothing of the caller's lives on.
 * But the function may change the uniform registers of its warp, whose other lanes go on. */
static void write_external(FILE *file, const struct statement *statement) {
  static const char *const linkages[] = {".visible ", ".weak "};
  static const char no_return[] = ".noreturn";
  const char *begin = statement->begin, *end = statement->body;
  for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
    if (gasan_strings_start(begin, linkages[i]))
      begin += strlen(linkages[i]);
  if (!end)
    end = memchr(begin, '=', (size_t)(statement->end - begin)); /* a variable's value */
  const char *last = end ? end : statement->end;
  const char *dropped = memmem(begin, (size_t)(last - begin), no_return, strlen(no_return));
  fputs(".extern ", file);
  if (dropped) {
    write_text(file, begin, dropped);
    begin = dropped + strlen(no_return);
  }
  write_text(file, begin, last);
  if (end)
    fputs(";\n", file);
}

/* Returns true if the text takes the address of one of the functions, which ptxas refuses for external ones. Of the
 * instructions that LLVM writes, only moves do. */
static bool takes_address(const char *begin, const char *end, const struct gasan_strings *functions) {
  static const char *const moves[] = {"mov.b64", "mov.u64"};
  for (const char *line = begin; line < end; line = gasan_ptx_after_line(line)) {
    const char *instruction = line + strspn(line, " \t");
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
      const char *operand = gasan_strings_start(instruction, moves[i]) ? strchr(instruction, ',') : NULL;
      if (!operand || operand > gasan_ptx_after_line(line))
        continue;
      operand += strspn(operand, ", \t");
      for (size_t j = 0; j < functions->count; j++)
        if (gasan_strings_start(operand, functions->items[j]) && operand[strlen(functions->items[j])] == ';')
          return true;
    }
  }
  return false;
}

/* Returns true if a variable's value has the address of one of the functions. */
static bool value_has_address(const struct statement *statement, const struct gasan_strings *functions) {
  const char *value = memchr(statement->begin, '=', (size_t)(statement->end - statement->begin));
  for (size_t i = 0; value && i < functions->count; i++)
    if (memmem(value, (size_t)(statement->end - value), functions->items[i], strlen(functions->items[i])))
      return true;
  return false;
}

/* Writes one of the runtime's functions, so that the program's code can call it. */
static void write_visible(FILE *file, const struct statement *statement) {
  if (gasan_strings_start(statement->begin, ".func"))
    fputs(".visible ", file);
  write_text(file, statement->begin, statement->end);
}

struct split {
  FILE *program, *runtime;
  struct gasan_strings functions; /* the runtime's, as far as they have been declared */
  struct gasan_strings callers;   /* the program's functions that call the runtime */
  bool has_params, gains_as_a_whole;
  size_t reporting; /* number of kernels and variants that report */
};

static bool has(const struct statement *statement, const char *text) {
  return memmem(statement->body, (size_t)(statement->end - statement->body), text, strlen(text)) != NULL;
}

/* Returns true if a warp's threads do something together, before which ptxas makes them meet again. */
static bool converges(const struct statement *code) {
  static const char *const together[] = {"\tbar", "\tshfl", "\tvote", "\tmatch", "\tredux"};
  for (size_t i = 0; i < sizeof together / sizeof *together; i++)
    if (has(code, together[i]))
      return true;
  return false;
}

/* Notes what a kernel, a variant or a function calls. If ptxas does not see a callee's code, it keeps the barriers at
 * which a warp's threads meet again in registers around each region with a report, and a function saves registers for
 * its callees. */
static void note_calls(struct split *split, const struct statement *code) {
  const char *entry = gasan_ptx_symbol(".entry", code->begin), *function = gasan_ptx_symbol(".func", code->begin);
  const bool reports = has(code, "call.uni __gasan_report"); /* comments name reports whose code was inlined */
  if (function && (reports || has(code, ", __gasan_bounds") || has(code, "call.uni __gasan_check")))
    gasan_strings_push(&split->callers, gasan_strings_format("%.*s", (int)strcspn(function, " \t\n(;"), function));
  if (entry && reports) {
    split->reporting++;
    split->gains_as_a_whole |= gasan_strings_start(entry, GASAN_PROVEN_PREFIX) && converges(code);
  }
}

/* Returns true if the text calls the function or takes its address. */
static bool uses(const char *text, const char *function) {
  const size_t length = strlen(function);
  for (const char *at = strstr(text, function); at; at = strstr(at + length, function))
    if (at > text && strchr(" {", at[-1]) && at[length] && strchr(",;}", at[length]))
      return true;
  return false;
}

/* Returns true if the text is not too long, and one of the program's functions that call the runtime stays a function.
 * LLVM keeps a copy of each that it has inlined. */
static bool calls_from_functions(const struct split *split, const char *text, size_t size) {
  for (size_t i = 0; size <= MOST_WITH_FUNCTIONS && i < split->callers.count; i++)
    if (uses(text, split->callers.items[i]))
      return true;
  return false;
}

/* Writes a statement into the files that need it. Returns false if the statement cannot be divided. */
static bool write_statement(struct split *split, const struct statement *statement) {
  const char *begin = statement->begin, *function = gasan_ptx_symbol(".func", begin);
  const bool is_runtime = function && gasan_ptx_is_runtime(function);
  if (is_runtime)
    gasan_strings_push(&split->functions, gasan_strings_format("%.*s", (int)strcspn(function, " \t\n(;"), function));
  if (is_runtime && statement->body) {
    write_external(split->program, statement);
    write_visible(split->runtime, statement);
  } else if (is_runtime) {
    write_external(split->program, statement);
    write_visible(split->runtime, statement);
  } else if (declares(statement, GASAN_PARAMS_SYMBOL)) {
    split->has_params = true;
    write_external(split->program, statement);
    write_text(split->runtime, begin, statement->end);
  } else if (declares(statement, RUNTIME_VARIABLE)) {
    write_text(split->runtime, begin, statement->end);
  } else if (function || gasan_ptx_symbol(".entry", begin)) {
    if (statement->body)
      note_calls(split, statement);
    write_text(split->program, begin, statement->end);
    return !takes_address(begin, statement->end, &split->functions);
  } else if (gasan_strings_start(begin, ".extern ") || gasan_strings_start(begin, ".version") ||
             gasan_strings_start(begin, ".target") || gasan_strings_start(begin, ".address_size")) {
    write_text(split->program, begin, statement->end);
    write_text(split->runtime, begin, statement->end);
  } else {
    write_text(split->program, begin, statement->end);
    return !gasan_strings_start(begin, ".alias") && !gasan_strings_start(begin, ".section") &&
           !value_has_address(statement, &split->functions);
  }
  return true;
}

bool gasan_ptx_split(const char *assembly, const char *program, const char *runtime) {
  struct gasan_bytes text;
  char *outputs[2] = {NULL, NULL};
  size_t sizes[2];
  if (!gasan_file_try_read(assembly, &text))
    return false;
  struct split split = {.program = open_memstream(&outputs[0], &sizes[0]),
                        .runtime = open_memstream(&outputs[1], &sizes[1])};
  bool divided = split.program && split.runtime;
  const char *rest = (const char *)text.data;
  for (struct statement statement; divided && next_statement(rest, &statement); rest = statement.end)
    divided = write_statement(&split, &statement);
  divided = divided && split.functions.count && split.has_params && !strchr(rest, '.');
  const bool gains_as_a_whole = (split.gains_as_a_whole && text.size <= MOST_WITH_BARRIERS) ||
                                calls_from_functions(&split, (const char *)text.data, text.size);
  divided = divided && (split.reporting > MOST_COPIES || !gains_as_a_whole);
  if (split.program)
    fclose(split.program);
  if (split.runtime)
    fclose(split.runtime);
  if (divided) {
    gasan_file_write(program, outputs[0], sizes[0]);
    gasan_file_write(runtime, outputs[1], sizes[1]);
  }
  free(outputs[0]);
  free(outputs[1]);
  return divided;
}
