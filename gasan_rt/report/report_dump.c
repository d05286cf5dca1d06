/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_dump.h"

#include <stdio.h>
#include <string.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define NAME_SIZE 512

/* Writes the function's name as the program has it. ptxas names a function inside of a kernel's code
 * "$kernel$function", and puts static functions into a namespace of the file. */
static void name_function(const char *symbol, char text[NAME_SIZE]) {
  const char *dollar = *symbol == '$' ? strrchr(symbol, '$') : NULL;
  gasan_demangle(dollar && dollar[1] ? dollar + 1 : symbol, text, NAME_SIZE);
  const char *name = strncmp(text, "_INTERNAL_", strlen("_INTERNAL_")) == 0 ? strstr(text, "::") : NULL;
  if (name)
    memmove(text, name + 2, strlen(name + 2) + 1);
}

/* Writes the name of the function of a line, or of the whole code. */
static void name_line(const struct gasan_dump_fault *dump, const struct gasan_line *line, char text[NAME_SIZE]) {
  const char *symbol = line && line->function ? line->function : dump->function ? dump->function : dump->kernel;
  if (!symbol) {
    snprintf(text, NAME_SIZE, "<unknown function>");
    return;
  }
  name_function(symbol, text);
  const size_t length = strlen(text);
  if (!line)
    snprintf(text + length, NAME_SIZE - length, "+0x%llx", (unsigned long long)dump->offset);
}

static void name_file(const struct gasan_line *line, char *text, size_t size) {
  const bool relative = *line->file && *line->file != '/' && *line->folder;
  snprintf(text, size, "%s%s%s", relative ? line->folder : "", relative ? "/" : "", line->file);
}

const char *gasan_report_stopped_access(const struct gasan_evidence *evidence) {
  const enum gasan_instruction_access access =
      evidence->has_dump ? evidence->dump.instruction.access : GASAN_INSTRUCTION_OTHER;
  if (access != GASAN_INSTRUCTION_OTHER)
    return access == GASAN_INSTRUCTION_READ ? "READ" : "WRITE";
  if (!evidence->has_log || evidence->log.access == GASAN_LOG_ACCESS_UNKNOWN)
    return "Access";
  return evidence->log.access == GASAN_LOG_READ ? "READ" : "WRITE";
}

static void print_thread(const struct gasan_dump_fault *dump, const uint32_t thread[3], const uint32_t block[3]) {
  struct gasan_record record = {0};
  memcpy(record.thread, thread, sizeof record.thread);
  memcpy(record.block, block, sizeof record.block);
  memcpy(record.block_dim, dump->block_size, sizeof record.block_dim);
  gasan_report_print_thread(&record);
}

static void print_threads(const struct gasan_dump_fault *dump, const struct gasan_stop_place *place) {
  if (!dump->threads) {
    gasan_printf("a device thread that has ended since");
    return;
  }
  if (place->has_thread) {
    print_thread(dump, place->thread, place->block);
    return;
  }
  print_thread(dump, dump->thread, dump->block);
  if (dump->threads > 1)
    gasan_printf(", or by one of %llu more that stopped at the same instruction",
                 (unsigned long long)dump->threads - 1);
}

void gasan_report_print_dump_access(const struct gasan_evidence *evidence, const struct gasan_stop_place *place) {
  char where[128];
  gasan_report_place_text(place, where, sizeof where);
  gasan_note_access(gasan_report_stopped_access(evidence));
  if (evidence->dump.instruction.size)
    gasan_note_access_size(evidence->dump.instruction.size);
  gasan_note_threads(evidence->dump.threads);
  gasan_printf("%s%s", gasan_color(GASAN_COLOR_ACCESS), gasan_report_stopped_access(evidence));
  if (evidence->dump.instruction.size)
    gasan_printf(" of size %u", evidence->dump.instruction.size);
  gasan_printf("%s by ", where);
  print_threads(&evidence->dump, place);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
}

int gasan_report_print_dump_frames(const struct gasan_dump_fault *dump) {
  char function[NAME_SIZE], file[4096];
  int number = 0;
  for (uint32_t i = 0; i < dump->line_count; i++) {
    name_line(dump, &dump->lines[i], function);
    name_file(&dump->lines[i], file, sizeof file);
    gasan_frame_print(number++, function, file, (int)dump->lines[i].line, 0);
  }
  if (!dump->line_count) {
    name_line(dump, NULL, function);
    gasan_frame_print(number++, function, "", 0, 0);
  }
  return number;
}

/* Lines of CUDA's headers do not help, unless there are no others. */
void gasan_report_print_dump_summary(enum gasan_kind kind, const struct gasan_dump_fault *dump) {
  char function[NAME_SIZE], file[4096] = "";
  uint32_t i = 0;
  for (; i < dump->line_count; i++) {
    name_file(&dump->lines[i], file, sizeof file);
    if (!gasan_report_is_wrapper(file) || i + 1 == dump->line_count)
      break;
  }
  const struct gasan_line *line = i < dump->line_count ? &dump->lines[i] : NULL;
  name_line(dump, line, function);
  gasan_report_summary(gasan_kind_name(kind), line ? file : NULL, line ? (int)line->line : 0, 0, function);
}

bool gasan_report_dump_suppressed(const struct gasan_dump_fault *dump) {
  char name[NAME_SIZE];
  if (dump->kernel) {
    name_function(dump->kernel, name);
    if (gasan_suppressed("kernel", name))
      return true;
  }
  for (uint32_t i = 0; i < dump->line_count; i++) {
    name_line(dump, &dump->lines[i], name);
    if (gasan_suppressed("fun", name))
      return true;
  }
  return false;
}
