/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/phase_times.h"
#include "driver/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static FILE *file; /* NULL: not wanted */

void gasan_phase_times_open(const char *path) {
  const bool to_output = !strcmp(path, "-") || !strcmp(path, "<stdout>");
  file = to_output ? stdout : fopen(path, "a");
  if (!file)
    gasan_message_fatal("cannot write '%s': %s", path, strerror(errno));
  if (to_output || ftell(file) == 0)
    fputs("source file name, phase name, phase input files, phase output file, arch, tool, metric, unit, CPU ms\n",
          file);
  fflush(file);
}

bool gasan_phase_times_are_wanted(void) {
  return file;
}

/* Returns the argument after the first one that is `option`, or "". */
static const char *value_of(const struct gasan_strings *command, const char *option) {
  for (size_t i = 0; i + 1 < command->count; i++)
    if (!strcmp(command->items[i], option))
      return command->items[i + 1];
  return "";
}

/* Returns the first argument of the command that is a file to read, or "". */
static const char *input_of(const struct gasan_strings *command) {
  static const char *const suffixes[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".s", ".bc", ".o", ".cubin"};
  const char *output = value_of(command, "-o");
  for (size_t i = 1; i < command->count; i++)
    for (size_t k = 0; command->items[i][0] != '-' && k < sizeof suffixes / sizeof *suffixes; k++)
      if (gasan_strings_end(command->items[i], suffixes[k]) && strcmp(command->items[i], output) != 0)
        return command->items[i];
  return "";
}

static const char *phase_of(const struct gasan_strings *command, const char *tool) {
  if (!strcmp(tool, "ptxas"))
    return "assembling";
  if (!strcmp(tool, "nvlink"))
    return "linking device code";
  if (!strcmp(tool, "fatbinary"))
    return "packing";
  if (strstr(tool, "ld"))
    return "linking";
  if (gasan_strings_contain(command, "-gasan-retarget"))
    return "code for the CPU device";
  if (gasan_strings_contain(command, "--cuda-device-only"))
    return "device code";
  return gasan_strings_contain(command, "--cuda-host-only") ? "host code" : "compiling";
}

static double milliseconds(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

void gasan_phase_times_add(const struct gasan_strings *command, const struct timespec *start,
                           const struct rusage *usage) {
  if (!file)
    return;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double wall = (double)(end.tv_sec - start->tv_sec) * 1e3 + (double)(end.tv_nsec - start->tv_nsec) / 1e6;
  static char source[4096];
  const char *tool = gasan_strings_basename(command->items[0]), *input = input_of(command);
  if (gasan_strings_end(input, ".cu") || !*source)
    snprintf(source, sizeof source, "%s", input);
  const char *architecture = value_of(command, "--gpu-name");
  fprintf(file, "%s, %s, %s, %s, %s, %s, %.1f, ms, %.1f\n", source, phase_of(command, tool), input,
          value_of(command, "-o"), *architecture ? architecture : value_of(command, "--arch"), tool, wall,
          milliseconds(usage->ru_utime) + milliseconds(usage->ru_stime));
  fflush(file);
}
