/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/gpu_address.h"
#include "driver/message.h"

#include <string.h>

#define SANITIZER "gpu-address"
#define OPTION_PREFIX "-fsanitize-gpu-address-"
#define PASS_PREFIX "-gasan-"

void gasan_gpu_address_set_defaults(struct gasan_driver_options *options) {
#define GASAN_DRIVER_OPTION(member, name, text, standard) options->member = standard;
#define GASAN_DRIVER_VALUE(member, value)
#include "driver/options.inc"
}

struct option_value {
  const char *option, *value;
};

static const struct option_value values[] = {
#define GASAN_DRIVER_OPTION(member, name, text, standard)
#define GASAN_DRIVER_VALUE(member, value) {#member, value},
#include "driver/options.inc"
};

static const char *known_values(const char *option) {
  struct gasan_strings names = {0};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!strcmp(values[i].option, option))
      gasan_strings_push(&names, values[i].value);
  return gasan_strings_join(&names, ',');
}

static bool is_value(const char *option, const char *value) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!strcmp(values[i].option, option) && !strcmp(values[i].value, value))
      return true;
  return false;
}

static const char *checked_value(const char *option, const char *name, const char *value) {
  if (is_value(option, value))
    return value;
  gasan_message_fatal("unknown value '%s' for '" OPTION_PREFIX "%s='; use %s", value, name, known_values(option));
}

/* Sets an option. `text` is "<name>=<value>" or "<name>". */
static void take_option(struct gasan_driver_options *options, const char *text) {
  struct gasan_strings known = {0};
#define GASAN_DRIVER_OPTION(member, name, description, standard)                                                       \
  if (gasan_strings_start(text, name "=")) {                                                                           \
    options->member = checked_value(#member, name, text + strlen(name "="));                                           \
    return;                                                                                                            \
  }                                                                                                                    \
  if (!strcmp(text, name) && is_value(#member, "on")) {                                                                \
    options->member = "on";                                                                                            \
    return;                                                                                                            \
  }                                                                                                                    \
  if (!strcmp(text, name))                                                                                             \
    gasan_message_fatal(OPTION_PREFIX name " needs a value; use " OPTION_PREFIX name "= with %s",                      \
                        known_values(#member));                                                                        \
  gasan_strings_push(&known, OPTION_PREFIX name "=");
#define GASAN_DRIVER_VALUE(member, value)
#include "driver/options.inc"
  gasan_message_fatal("unknown option '" OPTION_PREFIX "%s'; known: %s", text, gasan_strings_join(&known, ' '));
}

static bool is_on(const char *value) {
  return !strcmp(value, "on");
}

/* Returns, in the user's spelling, the given option that implies the shadow, or checks that are not gasan's. NULL:
 * there is none. */
static const char *shadow_choice(const struct gasan_driver_options *options) {
  if (strcmp(options->granule, "auto") != 0)
    return gasan_strings_format("granule=%s", options->granule);
  if (strcmp(options->pool, "window") != 0)
    return gasan_strings_format("pool=%s", options->pool);
  if (strcmp(options->checks, "gasan") != 0)
    return gasan_strings_format("checks=%s", options->checks);
  return NULL;
}

/* The meaning of "auto" for each option with that value. */
static const struct gasan_driver_options automatic = {
#define GASAN_DRIVER_OPTION(member, name, text, standard)
#define GASAN_DRIVER_VALUE(member, value)
#define GASAN_DRIVER_AUTO(member, value) .member = value,
#include "driver/options.inc"
};

void gasan_gpu_address_resolve(struct gasan_driver_options *options) {
  const char *shadow = shadow_choice(options);
  bool tags = is_on(options->tags);
  if (!strcmp(options->mode, "auto"))
    options->mode = tags || !shadow ? automatic.mode : "shadow";
  if (tags && !strcmp(options->mode, "shadow"))
    shadow = "mode=shadow";
  if (shadow && (tags || !strcmp(options->mode, "bst")))
    gasan_message_fatal(OPTION_PREFIX "%s and " OPTION_PREFIX "%s do not go together; leave one out",
                        tags ? "tags" : "mode=bst", shadow);
  if (!strcmp(options->granule, "auto"))
    options->granule = automatic.granule;
  if (is_on(options->trace) && !strcmp(options->mode, "bst"))
    options->launch_proof = "off"; /* a trace has each access */
  if (strcmp(options->checks, "host") != 0)
    return;
  if (!strcmp(options->devices, "cuda"))
    gasan_message_fatal(OPTION_PREFIX "checks=host and " OPTION_PREFIX "devices=cuda do not go together; leave one "
                                      "out");
  options->devices = "cpu";
}

void gasan_gpu_address_choose_fuzzing(struct gasan_driver_options *options) {
  if (!strcmp(options->devices, "cuda"))
    gasan_message_fatal("-fsanitize=fuzzer and " OPTION_PREFIX "devices=cuda do not go together: the kernels' coverage "
                        "is that of the CPU device; leave one out");
  options->devices = "cpu";
  options->launch_proof = "off"; /* variants would be copies of the counters' code */
}

void gasan_gpu_address_warn(const struct gasan_driver_options *options) {
  const struct {
    const char *name, *value;
  } only_bounds[] = {{"strict-temporal", options->strict_temporal},
                     {"print-proofs", options->print_proofs},
                     {"count-checks", options->count_checks},
                     {"trace", options->trace},
                     {"recover", options->recover}};
  for (size_t i = 0; i < sizeof only_bounds / sizeof *only_bounds; i++)
    if (is_on(only_bounds[i].value) && strcmp(options->mode, "bst") != 0)
      gasan_message_warning(OPTION_PREFIX "%s does nothing in " OPTION_PREFIX "mode=%s", only_bounds[i].name,
                            options->mode);
  if (is_on(options->print_proofs) && !strcmp(options->mode, "bst") && !is_on(options->launch_proof))
    gasan_message_warning(OPTION_PREFIX "print-proofs does nothing without " OPTION_PREFIX "launch-proof");
}

static bool removes_sanitizers(const char *text) {
  return gasan_strings_start(text, "-fno-sanitize=");
}

static bool chooses_sanitizers(const char *text) {
  return gasan_strings_start(text, "-fsanitize=") || removes_sanitizers(text);
}

/* Removes gasan's name from the list. This is all that lists for recovering or trapping need, because GASAN_OPTIONS
 * decides these at run time. */
static bool take_list(struct gasan_arguments *arguments, struct gasan_argument *argument) {
  struct gasan_strings names = gasan_strings_split(argument->value, ','), rest = {0};
  bool chooses = chooses_sanitizers(argument->text), adds = chooses && !removes_sanitizers(argument->text);
  for (size_t i = 0; i < names.count; i++) {
    const char *name = names.items[i];
    bool all = !strcmp(name, "all");
    if (chooses && (!strcmp(name, SANITIZER) || all))
      arguments->gpu_address = adds;
    if (chooses && (!strcmp(name, "address") || all))
      arguments->host_address = adds;
    if (chooses && (!strcmp(name, "fuzzer") || all))
      arguments->fuzzer = adds;
    if (chooses && (!strcmp(name, "fuzzer") || !strcmp(name, "fuzzer-no-link") || all))
      arguments->coverage = adds;
    if (!strcmp(name, SANITIZER))
      arguments->names_gpu_address = true;
    else
      gasan_strings_push(&rest, name);
  }
  if (rest.count == names.count)
    return true;
  size_t option_length = (size_t)(argument->value - argument->text);
  argument->text = gasan_strings_format("%.*s%s", (int)option_length, argument->text,
                                        rest.count ? gasan_strings_join(&rest, ',') : "");
  argument->value = argument->text + option_length;
  return rest.count > 0;
}

static bool is_pass_option(const struct gasan_argument *argument) {
  return !strcmp(argument->text, "-mllvm") && argument->separate &&
         gasan_strings_start(argument->separate, PASS_PREFIX);
}

bool gasan_gpu_address_take(struct gasan_arguments *arguments, struct gasan_argument *argument) {
  if (argument->role == GASAN_ROLE_SANITIZE)
    return take_list(arguments, argument);
  if (is_pass_option(argument)) {
    arguments->names_gpu_address = true;
    gasan_strings_push(&arguments->pass_options, argument->separate);
    return false;
  }
  if (argument->role != GASAN_ROLE_GPU_ADDRESS)
    return true;
  if (!gasan_strings_start(argument->text, OPTION_PREFIX))
    gasan_message_fatal("unknown option '%s'", argument->text);
  arguments->names_gpu_address = true;
  take_option(&arguments->options, argument->value);
  return false;
}
