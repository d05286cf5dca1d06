/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/compile.h"
#include "driver/architectures.h"
#include "driver/attempts.h"
#include "driver/device_image.h"
#include "driver/diagnostics.h"
#include "driver/file.h"
#include "driver/identity.h"
#include "driver/process.h"
#include "driver/rdc_container.h"
#include "driver/temporary.h"
#include "driver/toolkit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void push_source(struct gasan_strings *command, const struct gasan_argument *source) {
  gasan_strings_push_each(command, "-x", "cuda", NULL);
  gasan_arguments_push(command, source);
}

static void push_role(struct gasan_strings *command, const struct gasan_arguments *arguments,
                      bool (*wanted)(enum gasan_role)) {
  for (size_t i = 0; i < arguments->count; i++)
    if (wanted(arguments->items[i].role))
      gasan_arguments_push(command, &arguments->items[i]);
}

static bool for_device(enum gasan_role role) {
  return role == GASAN_ROLE_OTHER || role == GASAN_ROLE_DEVICE || role == GASAN_ROLE_NOOPT_DEBUG ||
         role == GASAN_ROLE_VERBOSE;
}

static bool for_host(enum gasan_role role) {
  switch (role) {
  case GASAN_ROLE_OTHER:
  case GASAN_ROLE_VERBOSE:
  case GASAN_ROLE_HOST:
  case GASAN_ROLE_SANITIZE:
  case GASAN_ROLE_IGNORE_LIST:
  case GASAN_ROLE_DEPENDENCY:
  case GASAN_ROLE_DEPENDENCY_FILE:
  case GASAN_ROLE_DEPENDENCY_TARGET:
    return true;
  default:
    return false;
  }
}

/* Returns the compilation's id. clang derives the names of static device variables from this id, in the host's code and
 * in the device's. clang's own choice of the id would depend on options that differ between our steps. */
static const char *compilation_id(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  struct gasan_identity identity = gasan_identity_start();
  const char *real = realpath(job->source->value, NULL);
  gasan_identity_add_text(&identity, real ? real : job->source->value);
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role == GASAN_ROLE_CUID)
      return argument->text;
    gasan_identity_add_text(&identity, argument->text);
    if (argument->separate)
      gasan_identity_add_text(&identity, argument->separate);
  }
  return gasan_strings_format("-cuid=%s", gasan_identity_text(&identity, 16));
}

/* Defines the list of all architectures. cub and thrust include this list in their names, so it must be the same for
 * the host and for every device. */
static void push_architecture_list(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  struct gasan_strings numbers = {0};
  if (toolchain->architectures.count < 2)
    return;
  for (size_t i = 0; i < toolchain->architectures.count; i++)
    gasan_strings_push(
        &numbers, gasan_strings_format("%d", 10 * atoi(gasan_architectures_number(toolchain->architectures.items[i]))));
  gasan_strings_push_each(command, "-U__CUDA_ARCH_LIST__",
                          gasan_strings_format("-D__CUDA_ARCH_LIST__=%s", gasan_strings_join(&numbers, ',')), NULL);
}

static void push_device_compile(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job,
                                const char *architecture, struct gasan_strings *command) {
  gasan_toolchain_push_clang(toolchain, command);
  push_role(command, toolchain->arguments, for_device);
  gasan_toolchain_push_cuda(toolchain, command);
  gasan_strings_push_each(command, "--cuda-device-only",
                          gasan_strings_format("--offload-arch=%s", gasan_architectures_first(architecture)),
                          compilation_id(toolchain, job), NULL);
  if (gasan_architectures_is_family(architecture))
    gasan_strings_push(command, gasan_strings_format("-D__CUDA_ARCH_FAMILY_SPECIFIC__=%d",
                                                     10 * atoi(gasan_architectures_number(architecture))));
  const char *feature = gasan_toolkit_ptx_feature(architecture);
  if (feature)
    gasan_strings_push(command, gasan_strings_format("--cuda-feature=%s", feature));
  push_architecture_list(toolchain, command);
  gasan_toolchain_push_marks(toolchain, command);
}

static struct gasan_strings device_command(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job,
                                           const struct gasan_device_image *image, size_t index) {
  struct gasan_strings command = {0};
  push_device_compile(toolchain, job, toolchain->architectures.items[index], &command);
  gasan_toolchain_push_instrumentation(toolchain, &command, image->keep_debug);
  gasan_device_image_push_output(image, toolchain, index, &command);
  push_source(&command, job->source);
  return command;
}

/* Passes the names that clang would derive from the output's name, because this step's output is not the object. */
static void push_dependencies(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job,
                              struct gasan_strings *command) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  if (!arguments->roles[GASAN_ROLE_DEPENDENCY])
    return;
  if (!arguments->roles[GASAN_ROLE_DEPENDENCY_TARGET])
    gasan_strings_push_each(command, "-MQ", job->dependency_target, NULL);
  bool named = arguments->roles[GASAN_ROLE_DEPENDENCY_FILE];
  for (size_t i = 0; i < arguments->count; i++)
    named |= gasan_strings_start(arguments->items[i].text, "-Wp,-M");
  if (!named)
    gasan_strings_push_each(command, "-MF", gasan_strings_replace_extension(job->dependency_target, ".d"), NULL);
}

static struct gasan_strings host_command(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job,
                                         const char *gpu_binary, const char *object) {
  struct gasan_strings command = {0};
  gasan_toolchain_push_clang(toolchain, &command);
  push_role(&command, toolchain->arguments, for_host);
  push_dependencies(toolchain, job, &command);
  gasan_toolchain_push_cuda(toolchain, &command);
  gasan_strings_push_each(&command, "--cuda-host-only", compilation_id(toolchain, job), NULL);
  for (size_t i = 0; i < toolchain->architectures.count; i++)
    gasan_strings_push(&command, gasan_strings_format("--offload-arch=%s",
                                                      gasan_architectures_first(toolchain->architectures.items[i])));
  if (!toolchain->arguments->debug)
    gasan_strings_push(&command, "-gline-tables-only");
  if (toolchain->arguments->rdc)
    gasan_strings_push_each(&command, "-fgpu-rdc", "--no-offload-new-driver", NULL);
  gasan_strings_push_each(&command, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", gpu_binary, "-c", "-o", object,
                          NULL);
  push_source(&command, job->source);
  return command;
}

static int compile_devices(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job,
                           struct gasan_device_image *image) {
  size_t count = toolchain->architectures.count;
  struct gasan_strings *commands = gasan_strings_allocate(count * sizeof *commands);
  for (size_t i = 0; i < count; i++)
    commands[i] = device_command(toolchain, job, image, i);
  return gasan_process_run(commands, count);
}

/* The intermediate files, up to the two objects that are joined. */
struct parts {
  const struct gasan_compile_job *job;
  const char *host_object, *cpu_object;
};

static int compile_parts(const struct gasan_toolchain *toolchain, void *context) {
  struct parts *parts = context;
  const struct gasan_compile_job *job = parts->job;
  const struct gasan_arguments *arguments = toolchain->arguments;
  struct gasan_device_image image;
  gasan_device_image_start(&image, toolchain, job->stem, gasan_arguments_optimisation(arguments),
                           gasan_arguments_keeps_device_debug(arguments));
  int result = compile_devices(toolchain, job, &image);
  if (result)
    return result;
  struct gasan_strings names = {0};
  gasan_strings_push_each(&names, job->source->value, job->dependency_target, NULL);
  const char *id;
  result = gasan_device_image_assemble(&image, toolchain, &names, &id);
  if (result)
    return result;
  struct gasan_strings both[2] = {host_command(toolchain, job, image.gpu_binary, parts->host_object), {0}};
  gasan_device_image_push_retarget(&image, toolchain, id, &both[1]);
  parts->cpu_object = image.cpu_object;
  return gasan_process_run(both, 2);
}

static int compile_whole(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job) {
  struct parts parts = {.job = job, .host_object = gasan_temporary_path(gasan_strings_format("%s-host.o", job->stem))};
  int result = gasan_attempts_run(toolchain, job->source->value, compile_parts, &parts);
  if (result)
    return result;
  struct gasan_strings join = {0};
  gasan_strings_push_each(&join, gasan_paths_llvm_tool(&toolchain->paths, "ld.lld"), "-r", parts.host_object,
                          parts.cpu_object, "-o", job->object, NULL);
  return gasan_process_run_one(&join);
}

const char *gasan_compile_rdc_bitcode(const char *stem, const char *architecture) {
  return gasan_temporary_path(gasan_strings_format("%s-%s.bc", stem, architecture));
}

/* Returns commands that only mark functions. The functions are instrumented at the link, where the whole device program
 * is known. */
static struct gasan_strings prepare_command(const struct gasan_toolchain *toolchain,
                                            const struct gasan_compile_job *job, const char *architecture) {
  struct gasan_strings command = {0};
  push_device_compile(toolchain, job, architecture, &command);
  gasan_toolchain_push_preparation(toolchain, &command);
  gasan_strings_push_each(&command, "-fgpu-rdc", "-emit-llvm", "-c", "-o",
                          gasan_compile_rdc_bitcode(job->stem, architecture), NULL);
  push_source(&command, job->source);
  return command;
}

static int compile_relocatable(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job) {
  const struct gasan_strings *architectures = &toolchain->architectures;
  struct gasan_strings *commands = gasan_strings_allocate(architectures->count * sizeof *commands);
  for (size_t i = 0; i < architectures->count; i++)
    commands[i] = prepare_command(toolchain, job, architectures->items[i]);
  int result = gasan_process_run(commands, architectures->count);
  if (result)
    return result;
  const char *container = gasan_temporary_path(gasan_strings_format("%s.gasanrdc", job->stem));
  if (gasan_process_runs()) {
    struct gasan_rdc_container contents = {.optimisation = gasan_arguments_optimisation(toolchain->arguments),
                                           .granule = toolchain->granule,
                                           .mode = toolchain->mode,
                                           .tags = toolchain->tags,
                                           .keep_debug = gasan_arguments_keeps_device_debug(toolchain->arguments)};
    for (size_t i = 0; i < architectures->count; i++)
      gasan_rdc_container_add(&contents, architectures->items[i],
                              gasan_file_read(gasan_compile_rdc_bitcode(job->stem, architectures->items[i])));
    gasan_rdc_container_write(&contents, container);
  }
  struct gasan_strings host = host_command(toolchain, job, container, job->object);
  return gasan_process_run_one(&host);
}

int gasan_compile_run(const struct gasan_toolchain *toolchain, const struct gasan_compile_job *job) {
  gasan_diagnostics_forget();
  return toolchain->arguments->rdc ? compile_relocatable(toolchain, job) : compile_whole(toolchain, job);
}

static bool writes_ir(const struct gasan_arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    if (!strcmp(arguments->items[i].text, "-emit-llvm"))
      return true;
  return false;
}

/* Adds what clang must be told for the architectures of a compile for devices only. */
static void push_ptx_features(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  const struct gasan_strings names = gasan_architectures_choose(toolchain->arguments, &toolchain->paths);
  gasan_toolkit_check(toolchain->cuda, &names);
  for (size_t i = 0; i < names.count; i++)
    if (gasan_toolkit_ptx_feature(names.items[i])) {
      gasan_strings_push(command, gasan_strings_format("--cuda-feature=%s", gasan_toolkit_ptx_feature(names.items[i])));
      return;
    }
}

int gasan_compile_inspect(const struct gasan_toolchain *toolchain) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  struct gasan_strings command = {0};
  gasan_strings_push(&command, toolchain->paths.clang);
  if (arguments->cxx)
    gasan_strings_push(&command, "--driver-mode=g++");
  gasan_toolchain_push_defaults(toolchain, &command);
  if (arguments->roles[GASAN_ROLE_DEVICE_ONLY]) {
    push_ptx_features(toolchain, &command);
    gasan_toolchain_push_marks(toolchain, &command);
    /* ptxas, which users also give the PTX, takes debug info for unoptimised code only. */
    gasan_toolchain_push_instrumentation(toolchain, &command,
                                         writes_ir(arguments) || gasan_arguments_keeps_device_debug(arguments));
  }
  gasan_arguments_push_plain(&command, arguments);
  return gasan_process_replace(&command);
}
