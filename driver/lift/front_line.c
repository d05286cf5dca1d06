/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/front_line.h"
#include "driver/message.h"
#include "driver/nvcc/command_line.h"
#include "driver/response.h"

#include <stdlib.h>
#include <string.h>

#define SANITIZE "-fsanitize"
#define NO_SANITIZE "-fno-sanitize"
#define CHECKS "-fsanitize-gpu-address-"
#define CUDA_PATH "--cuda-path="

static bool is_one_of(const char *text, const char *first, const char *second) {
  return !strcmp(text, first) || !strcmp(text, second);
}

/* Options for NVIDIA's own link-time optimisation, whose code only nvlink reads. Relocatable device code is linked and
 * optimised as LLVM IR anyway. */
static const char *const link_time[] = {"-dlto",        "--dlink-time-opt", "-lto", "--lto",
                                        "-gen-opt-lto", "--gen-opt-lto",    NULL};

/* Options with which nvcc compiles nothing. */
static const char *const asking[] = {"-V",
                                     "--version",
                                     "-h",
                                     "--help",
                                     "-E",
                                     "--preprocess",
                                     "-M",
                                     "--generate-dependencies",
                                     "-MM",
                                     "--generate-nonsystem-dependencies",
                                     "-dryrun",
                                     "--dryrun",
                                     "-arch-ls",
                                     "--list-gpu-arch",
                                     "-code-ls",
                                     "--list-gpu-code",
                                     "-fdevice-syntax-only",
                                     "--fdevice-syntax-only",
                                     NULL};

/* Options with which a command makes a file with device code only. */
static const char *const device_files[] = {"-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", NULL};

/* Replaces the code for NVIDIA's link-time optimisation by that for the same GPUs: code=lto_90. */
static const char *without_link_time(const char *text) {
  const char *found = strstr(text, "lto_");
  const bool names = found && (found == text || strchr("=,[", found[-1]));
  return names ? without_link_time(gasan_strings_format("%.*ssm_%s", (int)(found - text), text, found + strlen("lto_")))
               : text;
}

bool gasan_front_line_is_joining(const char *text) {
  return is_one_of(text, "-dlink", "--device-link") || is_one_of(text, "-lib", "--lib");
}

bool gasan_front_line_is_debug(const char *text) {
  return is_one_of(text, "-G", "--device-debug");
}

static bool is_host_file(const char *text) {
  return is_one_of(text, "-cuda", "--cuda");
}

static void read_flag(struct gasan_front_line *line, const char *text) {
  line->compiles |= is_one_of(text, "-c", "--compile") || is_one_of(text, "-dc", "--device-c") ||
                    is_one_of(text, "-dw", "--device-w");
  line->relocatable |= is_one_of(text, "-dc", "--device-c");
  line->joins |= gasan_front_line_is_joining(text);
  line->debug |= gasan_front_line_is_debug(text);
  line->line_info |= is_one_of(text, "-lineinfo", "--generate-line-info");
  line->host_lines |= is_one_of(text, "-g", "--debug");
  line->dependencies |= is_one_of(text, "-MD", "--generate-dependencies-with-compile") ||
                        is_one_of(text, "-MMD", "--generate-nonsystem-dependencies-with-compile");
  line->asks |= gasan_strings_is_one_of(text, asking);
  if (is_one_of(text, "-ltoir", "--ltoir") || is_one_of(text, "-optix-ir", "--optix-ir"))
    line->unchecked = text;
  if (gasan_strings_is_one_of(text, device_files))
    line->device_file = gasan_strings_format(".%s", text + strspn(text, "-"));
  if (is_host_file(text))
    line->device_file = ".cu.cpp.ii";
}

/* Reads an option with its value, in one argument or two. */
static void read_value(struct gasan_front_line *line, const char *text, const char *value) {
  if (gasan_strings_start(text, "-rdc") || gasan_strings_start(text, "--relocatable-device-code"))
    line->relocatable = !strcmp(value, "true");
  if (gasan_strings_start(text, "-odir") || gasan_strings_start(text, "--output-directory"))
    line->folder = value;
  line->names_dependency_file |= gasan_strings_start(text, "-MF") || gasan_strings_start(text, "--dependency-output");
  line->names_dependency_target |=
      gasan_strings_start(text, "-MT") || gasan_strings_start(text, "--dependency-target-name");
  if (gasan_strings_start(text, "-x"))
    line->all_are_cuda = !strcmp(value, "cu");
}

static void add_run_arguments(struct gasan_front_line *line, const char *list) {
  for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
    gasan_strings_push(&line->run_arguments, gasan_strings_format("%.*s", (int)strcspn(list, ","), list));
}

/* Takes -fsanitize=LIST or another list of sanitizers. Other sanitizers check the host's code, or are clang's. */
static void take_sanitizers(struct gasan_front_line *line, const char *text, bool is_clangs) {
  const struct gasan_strings names = gasan_strings_split(strchr(text, '=') + 1, ',');
  const bool adds = gasan_strings_start(text, SANITIZE "="), removes = gasan_strings_start(text, NO_SANITIZE "=");
  for (size_t i = 0; i < names.count; i++) {
    const bool is_own = !strcmp(names.items[i], "gpu-address") || (removes && !strcmp(names.items[i], "all"));
    if (is_own && (adds || removes))
      line->plain = removes;
    else if (!is_own && adds && !is_clangs)
      gasan_message_fatal("'%s': nvcc's front end has gpu-address only; leave %s out, give it to the host's compiler "
                          "(-Xcompiler " SANITIZE "=%s), or take clang's front end",
                          text, names.items[i], names.items[i]);
  }
}

/* Returns true if the argument is gasan's. `is_clangs`: it comes from GASAN_NVCC_FLAGS, where options for clang only
 * have no effect. */
static bool take_own(struct gasan_front_line *line, const char *text, bool is_clangs) {
  static const char *const lists[] = {SANITIZE "=",         NO_SANITIZE "=",
                                      SANITIZE "-recover=", NO_SANITIZE "-recover=",
                                      SANITIZE "-trap=",    NO_SANITIZE "-trap="};
  if (gasan_strings_start(text, GASAN_FRONT_END))
    return true;
  if (gasan_strings_start(text, CUDA_PATH))
    line->cuda = text + strlen(CUDA_PATH);
  if (gasan_strings_start(text, CHECKS))
    gasan_strings_push(&line->checks, text);
  if (gasan_strings_start(text, CUDA_PATH) || gasan_strings_start(text, CHECKS))
    return true;
  if (!gasan_strings_start(text, SANITIZE) && !gasan_strings_start(text, NO_SANITIZE))
    return false;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (gasan_strings_start(text, lists[i])) {
      take_sanitizers(line, text, is_clangs);
      return true;
    }
  if (!is_clangs)
    gasan_message_fatal("'%s' is an option of clang's front end; leave it or --front-end=nvcc out", text);
  return true;
}

/* Returns true for inputs whose device code nvcc gives to ptxas. */
static bool is_source(const struct gasan_front_line *line, const char *path) {
  return gasan_strings_end(path, ".cu") || gasan_strings_end(path, ".ptx") || !strcmp(path, "-") ||
         (line->all_are_cuda && !gasan_strings_end(path, ".o"));
}

/* Reads the argument at `*i`, which is nvcc's, and moves `*i` to its value if that is the next argument. */
static void read_argument(struct gasan_front_line *line, const struct gasan_strings *arguments, size_t *i) {
  const char *const *texts = arguments->items;
  const char *text = texts[*i], *equals = strchr(text, '=');
  const bool is_last = *i + 1 == arguments->count;
  if (gasan_strings_is_one_of(text, link_time))
    return;
  if (is_one_of(text, "-o", "--output-file") && !is_last) {
    line->output = texts[++*i];
  } else if (gasan_strings_start(text, "-o=") || gasan_strings_start(text, "--output-file=")) {
    line->output = equals + 1;
  } else if (is_one_of(text, "-run", "--run")) {
    line->runs = true;
  } else if (is_one_of(text, "-run-args", "--run-args") && !is_last) {
    add_run_arguments(line, texts[++*i]);
  } else if (gasan_strings_start(text, "-run-args=") || gasan_strings_start(text, "--run-args=")) {
    add_run_arguments(line, equals + 1);
  } else if (*text != '-' || !text[1]) {
    line->has_stream |= !strcmp(text, "-");
    gasan_strings_push(is_source(line, text) ? &line->sources : &line->objects, text);
  } else {
    const bool separate = !is_last && gasan_nvcc_takes_value(text);
    read_flag(line, text);
    gasan_strings_push(&line->options, without_link_time(text));
    if (separate)
      gasan_strings_push(&line->options, without_link_time(texts[++*i]));
    if (separate || equals)
      read_value(line, text, separate ? texts[*i] : equals + 1);
  }
}

struct gasan_front_line gasan_front_line_read(const struct gasan_strings *arguments) {
  struct gasan_front_line line = {0};
  const char *flags = getenv("GASAN_NVCC_FLAGS");
  const struct gasan_strings words = gasan_response_words(flags ? flags : "");
  for (size_t i = 0; i < words.count; i++)
    take_own(&line, words.items[i], /*is_clangs=*/true);
  for (size_t i = 0; i < arguments->count; i++) {
    const size_t first = i;
    if (take_own(&line, arguments->items[i], /*is_clangs=*/false))
      continue;
    read_argument(&line, arguments, &i);
    for (size_t k = first; k <= i; k++)
      gasan_strings_push(&line.all, arguments->items[k]);
  }
  return line;
}
