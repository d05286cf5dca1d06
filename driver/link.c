/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/link.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/rdc_link.h"
#include "driver/toolkit.h"

#include <string.h>
#include <unistd.h>

/* Returns true for libraries that libgasan_rt replaces. With both, half of the program would use the library whose
 * calls gasan does not intercept. */
static bool is_cuda_runtime_library(const char *name) {
  static const char *const names[] = {"cudart", "cudart_static", "cudadevrt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

static bool is_cuda_runtime_file(const char *path) {
  const char *name = gasan_strings_basename(path);
  return !strcmp(name, "libcudart_static.a") || !strcmp(name, "libcudadevrt.a") || !strcmp(name, "libcudart.so") ||
         gasan_strings_start(name, "libcudart.so.");
}

/* Returns true for libcuda. libgasan_rt interposes the driver API's allocations, so it must precede libcuda. */
static bool is_cuda_driver(const struct gasan_argument *argument) {
  if (argument->role == GASAN_ROLE_LIBRARY)
    return !strcmp(argument->value, "cuda") || gasan_strings_start(argument->value, ":libcuda.so");
  const char *name = argument->role == GASAN_ROLE_INPUT ? gasan_strings_basename(argument->value) : "";
  return !strcmp(name, "libcuda.so") || gasan_strings_start(name, "libcuda.so.");
}

static bool is_cuda_runtime_option(const char *text) {
  if (gasan_strings_start(text, "-l:"))
    return is_cuda_runtime_file(text + 3);
  return gasan_strings_start(text, "-l") ? is_cuda_runtime_library(text + 2) : is_cuda_runtime_file(text);
}

static bool is_cuda_runtime(const struct gasan_argument *argument) {
  switch (argument->role) {
  case GASAN_ROLE_INPUT:
    return is_cuda_runtime_file(argument->value);
  case GASAN_ROLE_LIBRARY:
    return is_cuda_runtime_option(gasan_strings_format("-l%s", argument->value));
  case GASAN_ROLE_LINKER:
    return argument->separate && is_cuda_runtime_option(argument->value);
  default:
    return false;
  }
}

/* Returns a -Wl, list without cudart, or NULL if it is empty then. */
static const char *without_cuda_runtime(const char *text) {
  struct gasan_strings parts = gasan_strings_split(text, ','), kept = {0};
  for (size_t i = 0; i < parts.count; i++)
    if (!is_cuda_runtime_option(parts.items[i]))
      gasan_strings_push(&kept, parts.items[i]);
  if (kept.count == parts.count)
    return text;
  return kept.count > 1 ? gasan_strings_join(&kept, ',') : NULL;
}

static bool for_linking(enum gasan_role role) {
  switch (role) {
  case GASAN_ROLE_LANGUAGE: /* added again where needed */
  case GASAN_ROLE_OUTPUT:
  case GASAN_ROLE_ARCH:
  case GASAN_ROLE_CUDA_PATH:
  case GASAN_ROLE_INCLUDE_PTX:
  case GASAN_ROLE_PTXAS:
  case GASAN_ROLE_FATBINARY:
  case GASAN_ROLE_RDC:
  case GASAN_ROLE_OFFLOAD:
  case GASAN_ROLE_NOOPT_DEBUG:
  case GASAN_ROLE_CUID:
  case GASAN_ROLE_DEVICE:
  case GASAN_ROLE_PRINT_STEPS:
  case GASAN_ROLE_BOTH_SIDES:
  case GASAN_ROLE_DEVICE_LINK:
    return false;
  default:
    return true;
  }
}

static void push_language(struct gasan_strings *command, const char *wanted, const char **active) {
  if (wanted == *active || (wanted && *active && !strcmp(wanted, *active)))
    return;
  gasan_strings_push_each(command, "-x", wanted ? wanted : "none", NULL);
  *active = wanted;
}

static bool is_partial(const struct gasan_arguments *arguments) {
  if (arguments->roles[GASAN_ROLE_PARTIAL_LINK])
    return true;
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role != GASAN_ROLE_LINKER)
      continue;
    struct gasan_strings parts = gasan_strings_split(argument->value, ',');
    if (gasan_strings_contain(&parts, "-r") || gasan_strings_contain(&parts, "--relocatable"))
      return true;
  }
  return false;
}

void gasan_link_push_inputs(const struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                            struct gasan_strings *command) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  const char *active_language = NULL;
  gasan_strings_push(command, toolchain->paths.clang);
  if (arguments->cxx)
    gasan_strings_push(command, "--driver-mode=g++");
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (!for_linking(argument->role) || is_cuda_runtime(argument))
      continue;
    if (is_cuda_driver(argument) && !is_partial(arguments))
      gasan_strings_push(command, toolchain->paths.runtime_library);
    if (argument->role == GASAN_ROLE_LINKER && gasan_strings_start(argument->text, "-Wl,")) {
      const char *rest = without_cuda_runtime(argument->text);
      if (rest)
        gasan_strings_push(command, rest);
    } else if (argument->role != GASAN_ROLE_INPUT) {
      gasan_arguments_push(command, argument);
    } else if (!gasan_arguments_is_cuda(argument)) {
      push_language(command, argument->language, &active_language);
      gasan_arguments_push(command, argument);
    } else if (objects->paths[i]) {
      push_language(command, NULL, &active_language);
      gasan_strings_push(command, objects->paths[i]);
    }
  }
  push_language(command, NULL, &active_language);
  if (arguments->cuda_inputs) /* options for the CUDA sources were used already */
    gasan_strings_push(command, "-Wno-unused-command-line-argument");
}

static void push_output(struct gasan_strings *command, const struct gasan_arguments *arguments) {
  if (arguments->output)
    gasan_strings_push_each(command, "-o", arguments->output, NULL);
}

void gasan_link_check(const struct gasan_arguments *arguments) {
  if (arguments->roles[GASAN_ROLE_STATIC] && !is_partial(arguments))
    gasan_message_fatal("-fsanitize=gpu-address needs dynamic linking; remove -static");
}

/* Returns true if the program was compiled with CUDA 12's headers. */
static bool is_for_cuda12(const struct gasan_toolchain *toolchain) {
  if (toolchain->program_cuda)
    return !strcmp(toolchain->program_cuda, "12");
  return gasan_toolkit_version(toolchain->cuda).major == 12;
}

static void push_runtime(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  const char *library = toolchain->paths.runtime_library;
  if (gasan_process_runs() && access(library, R_OK))
    gasan_message_fatal("'%s' is missing; gasan is not completely built or installed", library);
  if (is_for_cuda12(toolchain)) /* directs calls whose parameters have changed since */
    gasan_strings_push(command, toolchain->paths.cuda12_object);
  gasan_strings_push_each(command, library, gasan_strings_format("-Wl,-rpath,%s", toolchain->paths.library_folder),
                          NULL);
}

/* Lets libFuzzer learn of gasan's reports, so that it writes the input to a file. libFuzzer gives its callback to the
 * runtime of the host's sanitizers, which every fuzzer program has; so gasan takes the call (gasan_rt/core/fuzzer.c).
 */
static void push_fuzzer(struct gasan_strings *command) {
  gasan_strings_push(command, "-Wl,--wrap=__sanitizer_set_death_callback");
}

/* Joins the two objects of the device link. Makes an empty object if there is no device code to link. */
static int link_device(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                       const struct gasan_strings *inputs) {
  struct gasan_strings made = {0}, command = {0};
  int result = toolchain->arguments->gpu_address ? gasan_rdc_link(toolchain, objects, inputs, &made) : 0;
  if (result)
    return result;
  if (made.count) {
    gasan_strings_push_each(&command, gasan_paths_llvm_tool(&toolchain->paths, "ld.lld"), "-r", NULL);
    gasan_strings_push_all(&command, &made);
  } else {
    gasan_strings_push_each(&command, toolchain->paths.clang, "-x", "c", "-c", "/dev/null", NULL);
  }
  gasan_strings_push_each(&command, "-o", toolchain->arguments->output ? toolchain->arguments->output : "a_dlink.o",
                          NULL);
  return gasan_process_run_one(&command);
}

int gasan_link_run(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  bool partial = is_partial(arguments);
  struct gasan_strings inputs = {0}, command = {0};
  gasan_link_push_inputs(toolchain, objects, &inputs);
  if (arguments->roles[GASAN_ROLE_DEVICE_LINK])
    return link_device(toolchain, objects, &inputs);
  gasan_strings_push_all(&command, &inputs);
  if (!partial) {
    int result = gasan_rdc_link(toolchain, objects, &inputs, &command);
    if (result)
      return result;
    push_runtime(toolchain, &command);
    if (arguments->fuzzer)
      push_fuzzer(&command);
  }
  push_output(&command, arguments);
  return gasan_process_run_one(&command);
}
