/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/arguments.h"
#include "driver/gpu_address.h"
#include "driver/message.h"

#include <string.h>

enum form { EXACT, SEPARATE, PREFIX, EITHER, BOTH };

struct clang_option {
  const char *text;
  enum form form;
  enum gasan_role role;
};

static const struct clang_option clang_options[] = {
#define GASAN_CLANG_OPTION(text, form, role) {text, form, GASAN_ROLE_##role},
#include "driver/clang_options.inc"
#undef GASAN_CLANG_OPTION
};

static bool matches(const struct clang_option *option, const char *text) {
  if (option->form == EXACT || option->form == SEPARATE)
    return !strcmp(option->text, text);
  return gasan_strings_start(text, option->text);
}

static const struct clang_option *find_option(const char *text) {
  const struct clang_option *best = NULL;
  for (size_t i = 0; i < sizeof clang_options / sizeof *clang_options; i++)
    if (matches(&clang_options[i], text) && (!best || strlen(clang_options[i].text) > strlen(best->text)))
      best = &clang_options[i];
  return best;
}

static bool has_separate_value(const struct clang_option *option, const char *text) {
  return option->form == SEPARATE || option->form == BOTH || (option->form == EITHER && !strcmp(option->text, text));
}

/* Returns true for options that request debug info. Other options only extend it, or set its format. */
static bool sets_debug_level(const char *text) {
  static const char *const exact[] = {"-g",
                                      "-g0",
                                      "-g1",
                                      "-g2",
                                      "-g3",
                                      "-glldb",
                                      "-gsce",
                                      "-gdbx",
                                      "-gmlt",
                                      "-gline-tables-only",
                                      "-gline-directives-only"};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (!strcmp(text, exact[i]))
      return true;
  return gasan_strings_start(text, "-ggdb") || gasan_strings_start(text, "-gdwarf");
}

static void note_unlisted(struct gasan_arguments *arguments, const char *text) {
  if (gasan_strings_start(text, "-O"))
    arguments->optimisation = text;
  else if (sets_debug_level(text))
    arguments->debug = text;
}

static void note(struct gasan_arguments *arguments, const struct gasan_argument *argument, const char **language) {
  arguments->roles[argument->role] = true;
  switch (argument->role) {
  case GASAN_ROLE_INPUT:
    arguments->inputs++;
    arguments->cuda_inputs += gasan_arguments_is_cuda(argument);
    break;
  case GASAN_ROLE_OUTPUT:
    arguments->output = argument->value;
    break;
  case GASAN_ROLE_LANGUAGE:
    *language = strcmp(argument->value, "none") ? argument->value : NULL;
    break;
  case GASAN_ROLE_PRINT_STEPS:
    arguments->print_steps = true;
    break;
  case GASAN_ROLE_VERBOSE:
    arguments->verbose = true;
    break;
  case GASAN_ROLE_RDC:
    arguments->rdc = !gasan_strings_start(argument->text, "-fno-");
    break;
  case GASAN_ROLE_CUDA_PATH:
    arguments->cuda_path = argument->value;
    break;
  case GASAN_ROLE_OTHER:
    note_unlisted(arguments, argument->text);
    break;
  default:
    break;
  }
}

static void push_argument(struct gasan_arguments *arguments, struct gasan_argument argument, const char **language) {
  if (argument.role == GASAN_ROLE_INPUT)
    argument.language = *language;
  note(arguments, &argument, language);
  arguments->items[arguments->count++] = argument;
}

static struct gasan_argument make_input(const char *path) {
  struct gasan_argument input = {.role = GASAN_ROLE_INPUT, .text = path, .value = path};
  return input;
}

/* Reads one argument, with its value, from `texts` at `index`. Returns the number of texts read. */
static size_t take_option(struct gasan_arguments *arguments, const struct gasan_strings *texts, size_t index,
                          const char **language) {
  const char *text = texts->items[index];
  const struct clang_option *option = find_option(text);
  struct gasan_argument argument = {.role = option ? option->role : GASAN_ROLE_OTHER, .text = text};
  if (option) {
    argument.value = text + strlen(option->text);
    if (has_separate_value(option, text) && index + 1 < texts->count)
      argument.value = argument.separate = texts->items[index + 1];
  }
  if (gasan_gpu_address_take(arguments, &argument))
    push_argument(arguments, argument, language);
  return argument.separate ? 2 : 1;
}

struct gasan_arguments gasan_arguments_parse(const struct gasan_strings *texts, bool cxx) {
  struct gasan_arguments arguments = {.cxx = cxx};
  arguments.items = gasan_strings_allocate(texts->count * sizeof *arguments.items);
  gasan_gpu_address_set_defaults(&arguments.options);
  const char *language = NULL;
  bool only_inputs = false;
  for (size_t i = 0; i < texts->count;) {
    const char *text = texts->items[i];
    if (!only_inputs && !strcmp(text, "--")) {
      only_inputs = true;
      i++;
    } else if (only_inputs || text[0] != '-' || !text[1]) {
      push_argument(&arguments, make_input(text), &language);
      i++;
    } else {
      i += take_option(&arguments, texts, i, &language);
    }
  }
  gasan_gpu_address_resolve(&arguments.options);
  if (arguments.gpu_address && arguments.coverage)
    gasan_gpu_address_choose_fuzzing(&arguments.options);
  return arguments;
}

bool gasan_arguments_is_cuda(const struct gasan_argument *input) {
  if (input->language)
    return !strcmp(input->language, "cuda");
  return gasan_strings_end(input->value, ".cu");
}

const char *gasan_arguments_optimisation(const struct gasan_arguments *arguments) {
  return arguments->optimisation ? arguments->optimisation : "-O0";
}

bool gasan_arguments_has_debug(const struct gasan_arguments *arguments) {
  return arguments->debug && strcmp(arguments->debug, "-g0") != 0;
}

bool gasan_arguments_keeps_device_debug(const struct gasan_arguments *arguments) {
  static const char *const light[] = {"-g1", "-gmlt", "-gline-tables-only", "-gline-directives-only"};
  if (!gasan_arguments_has_debug(arguments))
    return false;
  for (size_t i = 0; i < sizeof light / sizeof *light; i++)
    if (!strcmp(arguments->debug, light[i]))
      return false;
  bool debuggable = false;
  for (size_t i = 0; i < arguments->count; i++)
    if (arguments->items[i].role == GASAN_ROLE_NOOPT_DEBUG)
      debuggable = !gasan_strings_start(arguments->items[i].text, "--no-");
  return debuggable || !strcmp(gasan_arguments_optimisation(arguments), "-O0");
}

bool gasan_arguments_host_checks(const struct gasan_arguments *arguments) {
  return !strcmp(arguments->options.checks, "host");
}

bool gasan_arguments_cpu_only(const struct gasan_arguments *arguments) {
  return !strcmp(arguments->options.devices, "cpu");
}

bool gasan_arguments_bounds(const struct gasan_arguments *arguments) {
  return !strcmp(arguments->options.mode, "bst") && !strcmp(arguments->options.checks, "gasan");
}

bool gasan_arguments_asan_checks(const struct gasan_arguments *arguments) {
  return !strcmp(arguments->options.checks, "asan");
}

void gasan_arguments_push(struct gasan_strings *command, const struct gasan_argument *argument) {
  if (argument->role == GASAN_ROLE_INPUT && argument->text[0] == '-' && argument->text[1])
    gasan_strings_push(command, gasan_strings_format("./%s", argument->text));
  else
    gasan_strings_push(command, argument->text);
  if (argument->separate)
    gasan_strings_push(command, argument->separate);
}

void gasan_arguments_push_plain(struct gasan_strings *command, const struct gasan_arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    gasan_arguments_push(command, &arguments->items[i]);
}

void gasan_arguments_push_values(struct gasan_strings *command, const struct gasan_arguments *arguments,
                                 enum gasan_role role) {
  for (size_t i = 0; i < arguments->count; i++)
    if (arguments->items[i].role == role)
      gasan_strings_push(command, arguments->items[i].value);
}
