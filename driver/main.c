/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-clang and gasan-clang++: clang, with -fsanitize=gpu-address. gasan-nvcc: the same with nvcc's options. */
#include "driver/architectures.h"
#include "driver/arguments.h"
#include "driver/compile.h"
#include "driver/gpu_address.h"
#include "driver/help.h"
#include "driver/lift/fallback.h"
#include "driver/lift/fatbinary.h"
#include "driver/lift/front_end.h"
#include "driver/lift/ptxas.h"
#include "driver/link.h"
#include "driver/message.h"
#include "driver/nvcc/command_line.h"
#include "driver/nvcc/nvcc.h"
#include "driver/nvcc/spellings.h"
#include "driver/process.h"
#include "driver/rdc_inputs.h"
#include "driver/response.h"
#include "driver/temporary.h"
#include "driver/toolkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void push_driver(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  gasan_strings_push(command, toolchain->paths.clang);
  if (toolchain->arguments->cxx)
    gasan_strings_push(command, "--driver-mode=g++");
}

/* Runs clang with the user's arguments, without gasan's own. Passes the toolkit and the architecture of CUDA sources,
 * so that these do not depend on whether the sources are checked. Besides, CUDA 13 cannot compile for sm_52, clang's
 * own default. */
static int pass_on(const struct gasan_toolchain *toolchain, const struct gasan_strings *texts) {
  struct gasan_strings command = {0};
  push_driver(toolchain, &command);
  gasan_toolchain_push_defaults(toolchain, &command);
  if (toolchain->arguments->names_gpu_address)
    gasan_arguments_push_plain(&command, toolchain->arguments);
  else
    gasan_strings_push_all(&command, texts);
  gasan_process_start(GASAN_PROCESS_RUN); /* clang itself knows -### */
  return gasan_process_replace(&command);
}

static bool asks(const struct gasan_arguments *arguments, const char *option) {
  for (size_t i = 0; i < arguments->count; i++)
    if (arguments->items[i].role == GASAN_ROLE_QUERY && !strcmp(arguments->items[i].text, option))
      return true;
  return false;
}

/* Prints clang's answer to --version or --help, and then gasan's. */
static int answer(const struct gasan_toolchain *toolchain, void (*print)(void)) {
  struct gasan_strings command = {0};
  push_driver(toolchain, &command);
  gasan_arguments_push_plain(&command, toolchain->arguments);
  gasan_process_start(GASAN_PROCESS_RUN);
  int result = gasan_process_run_one(&command);
  if (!result)
    print();
  return result;
}

static const char *file_stem(const char *path) {
  return gasan_strings_replace_extension(gasan_strings_basename(path), "");
}

/* Returns a unique prefix. Sources in different folders may have the same name, and their temporary files are in one
 * folder. */
static const char *unique_stem(struct gasan_strings *used, const char *path) {
  const char *stem = file_stem(path);
  for (int number = 2; gasan_strings_contain(used, stem); number++)
    stem = gasan_strings_format("%s-%d", file_stem(path), number);
  gasan_strings_push(used, stem);
  return stem;
}

static int compile_sources(const struct gasan_toolchain *toolchain, struct gasan_link_objects *objects) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  bool compile_only = arguments->roles[GASAN_ROLE_COMPILE];
  struct gasan_strings stems = {0};
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *source = &arguments->items[i];
    if (source->role != GASAN_ROLE_INPUT || !gasan_arguments_is_cuda(source))
      continue;
    if (!strcmp(source->value, "-"))
      gasan_message_fatal("-fsanitize=gpu-address compiles CUDA source from files only, not from standard input");
    const char *stem = unique_stem(&stems, source->value);
    const char *default_object = gasan_strings_format("%s.o", file_stem(source->value));
    struct gasan_compile_job job = {.source = source, .stem = stem};
    job.dependency_target = arguments->output ? arguments->output : default_object;
    job.object = compile_only ? job.dependency_target : gasan_temporary_path(gasan_strings_format("%s.o", stem));
    int result = gasan_compile_run(toolchain, &job);
    if (result)
      return result;
    objects->stems[i] = stem;
    objects->paths[i] = compile_only ? NULL : job.object;
  }
  return 0;
}

/* Runs gasan-scan, which stands beside this program, on the sources. Its findings fail the compile only if the user
 * wants so. */
static int scan_sources(const struct gasan_toolchain *toolchain) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  const char *wanted = arguments->options.scan, *own = toolchain->paths.executable;
  if (!strcmp(wanted, "off") || !arguments->cuda_inputs)
    return 0;
  struct gasan_strings command = {0};
  gasan_strings_push(&command, gasan_strings_format("%.*sgasan-scan", (int)(gasan_strings_basename(own) - own), own));
  gasan_strings_push(&command, "--quiet");
  gasan_toolchain_push_defaults(toolchain, &command);
  gasan_arguments_push_plain(&command, arguments);
  const int result = gasan_process_run_one(&command);
  return strcmp(wanted, "error") ? 0 : result;
}

/* Runs clang -c for sources that are not CUDA. */
static int compile_others(const struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  if (arguments->inputs == arguments->cuda_inputs)
    return 0;
  struct gasan_strings command = {0};
  gasan_link_push_inputs(toolchain, objects, &command);
  if (arguments->output)
    gasan_strings_push_each(&command, "-o", arguments->output, NULL);
  return gasan_process_run_one(&command);
}

/* Keeps files where clang keeps its own: in the working directory, or beside the output. */
static void keep_temporaries(const struct gasan_arguments *arguments) {
  const char *prefix = "";
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role != GASAN_ROLE_SAVE_TEMPS)
      continue;
    bool beside = gasan_strings_end(argument->text, "=obj") && arguments->output;
    size_t folder = beside ? (size_t)(gasan_strings_basename(arguments->output) - arguments->output) : 0;
    prefix = gasan_strings_format("%.*s", (int)folder, arguments->output ? arguments->output : "");
  }
  gasan_temporary_keep(prefix);
}

static void start_steps(const struct gasan_arguments *arguments) {
  if (arguments->print_steps)
    gasan_temporary_only_names();
  if (arguments->roles[GASAN_ROLE_SAVE_TEMPS])
    keep_temporaries(arguments);
  gasan_process_start(arguments->print_steps ? GASAN_PROCESS_ONLY_PRINT
                      : arguments->verbose   ? GASAN_PROCESS_VERBOSE
                                             : GASAN_PROCESS_RUN);
}

static int build(struct gasan_toolchain *toolchain) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  struct gasan_link_objects objects = {.paths = gasan_strings_allocate(arguments->count * sizeof *objects.paths),
                                       .stems = gasan_strings_allocate(arguments->count * sizeof *objects.stems)};
  if (gasan_arguments_host_checks(arguments) && !arguments->host_address)
    gasan_message_fatal("-fsanitize-gpu-address-checks=host needs -fsanitize=address,gpu-address");
  if (arguments->cuda_inputs) {
    gasan_gpu_address_warn(&arguments->options);
    toolchain->architectures = gasan_architectures_choose(arguments, &toolchain->paths);
    gasan_architectures_reduce(&toolchain->architectures, arguments);
    if (gasan_process_runs()) {
      gasan_paths_require_cuda(toolchain->cuda);
      gasan_toolkit_check(toolchain->cuda, &toolchain->architectures);
      gasan_paths_require_own(&toolchain->paths);
    }
  }
  if (!arguments->roles[GASAN_ROLE_COMPILE])
    gasan_link_check(arguments);
  int result = compile_sources(toolchain, &objects);
  if (!result)
    result = scan_sources(toolchain);
  if (result)
    return result;
  if (arguments->roles[GASAN_ROLE_COMPILE])
    return compile_others(toolchain, &objects);
  return gasan_link_run(toolchain, &objects);
}

/* Returns true if clang alone does the work: nothing is compiled for a device and nothing is linked, or clang has an
 * error to report. */
static bool is_clangs_work(const struct gasan_arguments *arguments) {
  if (arguments->roles[GASAN_ROLE_DEVICE_LINK])
    return false;
  if (!arguments->gpu_address || arguments->roles[GASAN_ROLE_QUERY] || !arguments->inputs)
    return true;
  if (arguments->roles[GASAN_ROLE_COMPILE])
    return !arguments->cuda_inputs || (arguments->output && arguments->inputs > 1);
  return false;
}

/* Returns true for a link of objects that have checks, without gasan's options, as in CMake and Makefiles. */
static bool links_checked_objects(const struct gasan_arguments *arguments) {
  const bool links = !arguments->roles[GASAN_ROLE_COMPILE] && !arguments->roles[GASAN_ROLE_INSPECT] &&
                     !arguments->roles[GASAN_ROLE_DEVICE_ONLY] && !arguments->roles[GASAN_ROLE_QUERY];
  return links && !arguments->names_gpu_address && !arguments->cuda_inputs && gasan_rdc_inputs_have_checks(arguments);
}

/* Executes the command. `expanded` are clang's arguments; `texts` are the same before @files were expanded. */
static int run(const struct gasan_strings *expanded, const struct gasan_strings *texts, struct gasan_paths paths,
               bool cxx) {
  struct gasan_arguments arguments = gasan_arguments_parse(expanded, cxx);
  struct gasan_toolchain toolchain = {.arguments = &arguments, .paths = paths};
  if (links_checked_objects(&arguments))
    arguments.gpu_address = true;
  toolchain.granule = arguments.options.granule;
  toolchain.mode = arguments.options.mode;
  toolchain.tags = arguments.options.tags;
  toolchain.cuda = gasan_paths_cuda(arguments.cuda_path);
  if (asks(&arguments, "--version"))
    return answer(&toolchain, gasan_help_print_version);
  if (asks(&arguments, "--help") || asks(&arguments, "-help"))
    return answer(&toolchain, gasan_help_print);
  bool inspects = arguments.roles[GASAN_ROLE_INSPECT] || arguments.roles[GASAN_ROLE_DEVICE_ONLY];
  if (is_clangs_work(&arguments) || (inspects && !arguments.cuda_inputs))
    return pass_on(&toolchain, texts);
  if (inspects) {
    gasan_process_start(GASAN_PROCESS_RUN); /* clang itself knows -### */
    return gasan_compile_inspect(&toolchain);
  }
  start_steps(&arguments);
  return build(&toolchain);
}

/* Runs the commands one after another, each in a process of its own. */
static int run_each(const struct gasan_nvcc_command *command, struct gasan_paths paths) {
  for (size_t i = 0; i < command->count; i++) {
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
      gasan_message_fatal("cannot start a process: %s", strerror(errno));
    if (!child)
      exit(run(&command->several[i], &command->several[i], paths, /*cxx=*/true));
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
    if (status)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return 0;
}

static int run_nvcc(int count, char **texts) {
  const struct gasan_strings all = gasan_nvcc_expand(count, texts);
  const struct gasan_paths paths = gasan_paths_find();
  if (gasan_front_end_wanted(&all))
    return gasan_front_end_run(&all, &paths);
  if (gasan_fallback_is_possible(&all))
    return gasan_fallback_run(&all, &paths);
  struct gasan_nvcc_command command = gasan_nvcc_translate(&all, &paths);
  if (command.answered)
    return 0;
  if (command.count)
    return run_each(&command, paths);
  if (!command.other.count)
    return run(&command.clang, &command.clang, paths, /*cxx=*/true);
  gasan_process_start(command.only_prints ? GASAN_PROCESS_ONLY_PRINT
                      : command.verbose   ? GASAN_PROCESS_VERBOSE
                                          : GASAN_PROCESS_RUN);
  return gasan_process_run_one(&command.other);
}

int main(int count, char **texts) {
  const char *name = gasan_strings_basename(texts[0]);
  if (gasan_strings_end(name, "nvcc")) { /* also as bin/nvcc of a folder that stands for a toolkit's */
    gasan_message_set_program("gasan-nvcc");
    return run_nvcc(count - 1, texts + 1);
  }
  if (gasan_strings_end(name, "ptxas") || !strcmp(name, "fatbinary")) {
    const struct gasan_paths paths = gasan_paths_find();
    gasan_message_set_program("gasan-ptxas");
    return (gasan_strings_end(name, "ptxas") ? gasan_ptxas_run : gasan_fatbinary_run)(count - 1, texts + 1, &paths);
  }
  bool cxx = strstr(name, "++") != NULL;
  gasan_message_set_program(cxx ? "gasan-clang++" : "gasan-clang");
  struct gasan_strings expanded = gasan_response_expand(count - 1, texts + 1), given = {0};
  for (int i = 1; i < count; i++)
    gasan_strings_push(&given, texts[i]);
  expanded = gasan_nvcc_spellings_translate(&expanded);
  return run(&expanded, &given, gasan_paths_find(), cxx);
}
