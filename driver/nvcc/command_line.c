/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/command_line.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/nvcc/host_options.h"
#include "driver/nvcc/lists.h"
#include "driver/phase_times.h"
#include "driver/response.h"
#include "driver/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OPTIONS_FILES 32

enum form { FLAG, VALUE, LIST, JOINED, TRUTH, NUMBER };

/* The action of an option. options.inc explains the first ones. */
enum action {
  CLANG,
  LINK,
  IGNORE,
  REFUSE,
  NOTHING,
  COMPILE,
  COMPILE_RDC,
  DEVICE_LINK,
  ARCHIVE,
  PTX,
  CUBIN,
  FATBIN,
  INSPECT,      /* as CLANG, without a link */
  DEPENDENCIES, /* the same, for the host's code only */
  OUTPUT,
  OUTPUT_FOLDER,
  LANGUAGE,
  OPTIONS_FILE,
  REGISTERS,
  OPTIMISE,
  STANDARD,
  DEBUG,
  DEVICE_DEBUG,
  LINE_INFO,
  HOST,
  FORWARD,
  ARCHITECTURE,
  CODE,
  GENERATE_CODE,
  RDC,
  FLUSH,
  PRECISE_DIVISION,
  PRECISE_ROOT,
  FUSE,
  DEFAULT_STREAM,
  CUDA_RUNTIME,
  TIME,
  KEEP_FOLDER,
  RUN,
  RUN_ARGUMENTS,
  WARNINGS_ARE_ERRORS,
  VERBOSE,
  ONLY_PRINT,
  VERSION,
  HELP,
  LIST_VIRTUAL,
  LIST_REAL,
};

struct option {
  const char *name, *short_name;
  enum form form;
  enum action action;
  const char *text;
};

static const struct option options[] = {
#define GASAN_NVCC_OPTION(name, short_name, form, action, text) {name, short_name, form, action, text},
#include "driver/nvcc/options.inc"
};

static const struct option *find_exact(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if ((strlen(options[i].name) == length && !strncmp(options[i].name, name, length)) ||
        (strlen(options[i].short_name) == length && !strncmp(options[i].short_name, name, length)))
      return &options[i];
  return NULL;
}

static bool is_number(const char *text) {
  return *text && !text[strspn(text, "0123456789")];
}

/* Finds an option whose value follows its short name directly. */
static const struct option *find_joined(const char *name) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const bool is_joined =
        options[i].form == JOINED || (options[i].form == NUMBER && strlen(options[i].short_name) == 1);
    const char *value = name + strlen(options[i].short_name);
    if (is_joined && gasan_strings_start(name, options[i].short_name) &&
        (options[i].form == JOINED || is_number(value)))
      return &options[i];
  }
  return NULL;
}

bool gasan_nvcc_takes_value(const char *argument) {
  if (*argument != '-')
    return false;
  const char *name = argument + (gasan_strings_start(argument, "--") ? 2 : 1);
  const struct option *option = find_exact(name, strlen(name));
  return option && option->form != FLAG;
}

static void ignore(struct gasan_nvcc_line *line, const char *what, const char *why) {
  gasan_strings_push(&line->ignored, *why ? gasan_strings_format("%s (%s)", what, why) : what);
}

static bool is_true(const char *value) {
  return !strcmp(value, "true");
}

/* Adds the words of `text` with the value in place of %s. */
static void push_text(struct gasan_strings *list, const char *text, const char *value) {
  struct gasan_strings words = gasan_strings_split(text, ' ');
  for (size_t i = 0; i < words.count; i++) {
    const char *place = strstr(words.items[i], "%s");
    gasan_strings_push(list, place ? gasan_strings_format("%.*s%s%s", (int)(place - words.items[i]), words.items[i],
                                                          value, place + strlen("%s"))
                                   : words.items[i]);
  }
}

/* Takes options for the host compiler. clang has other warnings than nvcc and its host compiler, so options that turn
 * warnings into errors are dropped: code that compiles without a warning there must compile here. */
static void take_host_options(struct gasan_nvcc_line *line, const char *value) {
  struct gasan_strings words = gasan_response_words(value);
  for (size_t i = 0; i < words.count; i++)
    if (gasan_nvcc_is_question(words.items[i]))
      gasan_strings_push(&line->questions, words.items[i]);
    else if (gasan_nvcc_host_option_is_for_others(words.items[i]))
      ignore(line, words.items[i], "clang has other options and warnings than the host's compiler");
    else
      gasan_strings_push(&line->clang, words.items[i]);
}

static void set_phase(struct gasan_nvcc_line *line, const struct option *option, enum gasan_nvcc_phase phase) {
  if (line->phase != GASAN_NVCC_LINK && line->phase != phase)
    gasan_message_fatal("--%s and another option name two different outputs; give one of them", option->name);
  line->phase = phase;
}

static void take_float_option(struct gasan_nvcc_line *line, const struct option *option, const char *value) {
  switch (option->action) {
  case FLUSH:
    gasan_strings_push(&line->clang,
                       is_true(value) ? "-fgpu-flush-denormals-to-zero" : "-fno-gpu-flush-denormals-to-zero");
    break;
  case FUSE:
    gasan_strings_push(&line->clang, is_true(value) ? "-ffp-contract=fast" : "-ffp-contract=off");
    break;
  case PRECISE_DIVISION:
    gasan_strings_push_each(&line->clang, "-mllvm", is_true(value) ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=1",
                            NULL);
    break;
  default:
    gasan_strings_push_each(&line->clang, "-mllvm", is_true(value) ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0",
                            NULL);
  }
}

/* Ends the process if nvcc, too, refuses the value. */
static void check_value(const struct option *option, const char *value) {
  if (option->form == TRUTH && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
    gasan_message_fatal("--%s=%s: the value is 'true' or 'false'", option->name, value);
  if (option->form == NUMBER && !is_number(value))
    gasan_message_fatal("--%s=%s: the value is a number", option->name, value);
}

static void take_value(struct gasan_nvcc_line *line, const struct option *option, const char *value) {
  switch (option->action) {
  case CLANG:
    push_text(&line->clang, option->text, value);
    break;
  case LINK:
    push_text(&line->links, option->text, value);
    break;
  case IGNORE:
    ignore(line,
           *value ? gasan_strings_format("--%s=%s", option->name, value) : gasan_strings_format("--%s", option->name),
           option->text);
    break;
  case REFUSE:
    gasan_message_fatal("--%s: %s", option->name, option->text);
  case NOTHING:
    break;
  case COMPILE_RDC:
    line->rdc = true;
    set_phase(line, option, GASAN_NVCC_COMPILE);
    break;
  case INSPECT:
    push_text(&line->clang, option->text, value);
    set_phase(line, option, GASAN_NVCC_INSPECT);
    break;
  case DEPENDENCIES:
    push_text(&line->clang, option->text, value);
    set_phase(line, option, GASAN_NVCC_DEPENDENCIES);
    break;
  case COMPILE:
    set_phase(line, option, GASAN_NVCC_COMPILE);
    break;
  case DEVICE_LINK:
    set_phase(line, option, GASAN_NVCC_DEVICE_LINK);
    break;
  case ARCHIVE:
    set_phase(line, option, GASAN_NVCC_ARCHIVE);
    break;
  case PTX:
    set_phase(line, option, GASAN_NVCC_PTX);
    break;
  case CUBIN:
    set_phase(line, option, GASAN_NVCC_CUBIN);
    break;
  case FATBIN:
    set_phase(line, option, GASAN_NVCC_FATBIN);
    break;
  case OUTPUT:
    line->output = value;
    break;
  case OUTPUT_FOLDER:
    line->output_folder = value;
    break;
  case LANGUAGE:
    line->language = !strcmp(value, "cu") ? "cuda" : value;
    break;
  case OPTIONS_FILE: /* gasan_nvcc_expand has read it */
    break;
  case REGISTERS:
    if (atoi(value) > 0) /* 0: no limit */
      gasan_strings_push_each(&line->clang, "-Xcuda-ptxas", gasan_strings_format("--maxrregcount=%s", value), NULL);
    break;
  case OPTIMISE:
    line->optimisation = value;
    break;
  case STANDARD:
    line->standard = value;
    break;
  case DEBUG:
    line->debug = true;
    break;
  case DEVICE_DEBUG:
    line->debug = line->device_debug = true;
    break;
  case LINE_INFO:
    line->line_info = true;
    break;
  case HOST:
    take_host_options(line, value);
    break;
  case FORWARD: /* applies to the options before it, too */
    break;
  case ARCHITECTURE:
    line->gpus.architecture = value;
    break;
  case CODE:
    gasan_nvcc_gpus_add_code(&line->gpus, value);
    break;
  case GENERATE_CODE:
    gasan_nvcc_gpus_generate(&line->gpus, value);
    break;
  case RDC:
    line->rdc = is_true(value);
    break;
  case FLUSH:
  case PRECISE_DIVISION:
  case PRECISE_ROOT:
  case FUSE:
    take_float_option(line, option, value);
    break;
  case DEFAULT_STREAM:
    if (!strcmp(value, "per-thread"))
      gasan_strings_push(&line->clang, "-fgpu-default-stream=per-thread");
    else if (strcmp(value, "legacy") != 0 && strcmp(value, "null") != 0)
      gasan_message_fatal("--default-stream=%s: the default stream is 'legacy', 'null' or 'per-thread'", value);
    break;
  case CUDA_RUNTIME:
    if (strcmp(value, "shared") != 0 && strcmp(value, "static") != 0 && strcmp(value, "none") != 0)
      gasan_message_fatal("--cudart=%s: the CUDA runtime is 'static', 'shared' or 'none'", value);
    line->cuda_runtime = value;
    break;
  case TIME:
    gasan_phase_times_open(value);
    break;
  case KEEP_FOLDER:
    if (access(gasan_strings_format("%s/.", value), W_OK))
      gasan_message_fatal("--keep-dir: '%s' is no folder that can be written to; create it first", value);
    gasan_temporary_keep_in(value);
    break;
  case RUN:
    set_phase(line, option, GASAN_NVCC_RUN);
    break;
  case RUN_ARGUMENTS:
    gasan_strings_push(&line->run_arguments, value);
    break;
  case WARNINGS_ARE_ERRORS:
    if (!strcmp(value, "deprecated-declarations") || !strcmp(value, "reorder"))
      gasan_strings_push(&line->clang, gasan_strings_format("-Werror=%s", value));
    else
      ignore(line, gasan_strings_format("-Werror=%s", value), "clang has other warnings than nvcc");
    break;
  case VERBOSE:
    line->verbose = true;
    break;
  case ONLY_PRINT:
    line->only_prints = true;
    break;
  case VERSION:
    line->query = GASAN_NVCC_VERSION;
    break;
  case HELP:
    line->query = GASAN_NVCC_HELP;
    break;
  case LIST_VIRTUAL:
    line->query = GASAN_NVCC_VIRTUAL;
    break;
  case LIST_REAL:
    line->query = GASAN_NVCC_REAL;
    break;
  }
}

/* Returns true for options of gasan-clang++ that gasan-nvcc accepts in addition to nvcc's. */
static bool is_for_gasan(const char *text) {
  return gasan_strings_start(text, "-fsanitize") || gasan_strings_start(text, "-fno-sanitize") ||
         gasan_strings_start(text, "--cuda-path=");
}

/* Takes an option and its value. Returns the number of arguments taken from the list. */
static size_t take_option(struct gasan_nvcc_line *line, const struct gasan_strings *arguments, size_t index) {
  const char *text = arguments->items[index], *name = text + 1 + (text[1] == '-');
  size_t length = strcspn(name, "=");
  const struct option *option = find_exact(name, length);
  const char *value = name[length] ? name + length + 1 : NULL;
  size_t taken = 1;
  if (!option && text[1] != '-' && (option = find_joined(name)))
    value = name + strlen(option->short_name) + (name[strlen(option->short_name)] == '=');
  if (!option && is_for_gasan(text)) {
    gasan_strings_push(&line->clang, text);
    return 1;
  }
  if (!option && line->forwards) {
    take_host_options(line, text);
    return 1;
  }
  if (!option && !strcmp(text, "-fgpu-rdc")) /* clang's error at a kernel launch in a kernel names it */
    gasan_message_fatal("'%s' is clang's name; nvcc's is -rdc=true", text);
  if (!option)
    gasan_message_fatal("'%s' is no option of nvcc that gasan-nvcc knows; options for clang belong into "
                        "GASAN_NVCC_FLAGS or behind -Xcompiler",
                        text);
  if (option->form == FLAG && value)
    gasan_message_fatal("'%s': the option has no value", text);
  if (option->form != FLAG && !value) {
    if (index + 1 == arguments->count)
      gasan_message_fatal("'%s' needs a value", text);
    value = arguments->items[index + 1];
    taken = 2;
  }
  if (option->form != LIST && option->form != JOINED) {
    check_value(option, value ? value : "");
    take_value(line, option, value ? value : "");
    return taken;
  }
  struct gasan_strings values = gasan_nvcc_split(value);
  for (size_t i = 0; i < values.count; i++)
    take_value(line, option, values.items[i]);
  return taken;
}

static void take_arguments(struct gasan_nvcc_line *line, const struct gasan_strings *arguments) {
  for (size_t i = 0; i < arguments->count;) {
    if (arguments->items[i][0] == '-' && arguments->items[i][1]) {
      i += take_option(line, arguments, i);
      continue;
    }
    gasan_strings_push(&line->inputs, arguments->items[i]);
    i++;
  }
}

static void expand_words(struct gasan_strings *all, const struct gasan_strings *words, int nesting);

static void expand_file(struct gasan_strings *all, const char *path, int nesting) {
  struct gasan_bytes contents;
  if (nesting == MAX_OPTIONS_FILES)
    gasan_message_fatal("--options-file: '%s' includes itself", path);
  if (!gasan_file_try_read(path, &contents))
    gasan_message_fatal("--options-file: cannot read '%s'", path);
  const struct gasan_strings words = gasan_response_words((const char *)contents.data);
  expand_words(all, &words, nesting + 1);
}

/* Replaces each --options-file by the words of its files. */
static void expand_words(struct gasan_strings *all, const struct gasan_strings *words, int nesting) {
  for (size_t i = 0; i < words->count; i++) {
    const char *text = words->items[i], *name = text + strspn(text, "-"), *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *option = *text == '-' && *name ? find_exact(name, length) : NULL;
    const bool has_next = option && option->form != FLAG && !equals && i + 1 < words->count;
    if (option && !strcmp(option->name, "front-end") && (equals || has_next)) { /* one form for main.c */
      gasan_strings_push(all, gasan_strings_format("--front-end=%s", equals ? equals + 1 : words->items[++i]));
      continue;
    }
    if (!option || option->action != OPTIONS_FILE || (!equals && !has_next)) {
      gasan_strings_push(all, text);
      if (has_next)
        gasan_strings_push(all, words->items[++i]);
      continue;
    }
    const struct gasan_strings paths = gasan_nvcc_split(equals ? equals + 1 : words->items[++i]);
    for (size_t k = 0; k < paths.count; k++)
      expand_file(all, paths.items[k], nesting);
  }
}

struct gasan_strings gasan_nvcc_expand(int count, char **texts) {
  struct gasan_strings words = {0}, all = {0};
  const char *before = getenv("NVCC_PREPEND_FLAGS"), *after = getenv("NVCC_APPEND_FLAGS");
  const struct gasan_strings first = gasan_response_words(before ? before : "");
  const struct gasan_strings given = gasan_response_expand(count, texts);
  const struct gasan_strings last = gasan_response_words(after ? after : "");
  gasan_strings_push_all(&words, &first);
  gasan_strings_push_all(&words, &given);
  gasan_strings_push_all(&words, &last);
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
  expand_words(&all, &words, 0);
  return all;
}

static bool names_forwarding(const struct gasan_strings *arguments) {
  for (size_t i = 0; i < arguments->count; i++) {
    const char *name = arguments->items[i] + strspn(arguments->items[i], "-");
    const struct option *option = arguments->items[i][0] == '-' ? find_exact(name, strlen(name)) : NULL;
    if (option && option->action == FORWARD)
      return true;
  }
  return false;
}

struct gasan_nvcc_line gasan_nvcc_read(const struct gasan_strings *arguments) {
  struct gasan_nvcc_line line = {.phase = GASAN_NVCC_LINK, .cuda_runtime = "static"};
  line.forwards = names_forwarding(arguments);
  take_arguments(&line, arguments);
  return line;
}
