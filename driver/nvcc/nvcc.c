/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/nvcc.h"
#include "driver/architectures.h"
#include "driver/message.h"
#include "driver/nvcc/answers.h"
#include "driver/nvcc/command_line.h"
#include "driver/response.h"
#include "driver/toolkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_library_or_object(const char *path) {
  const char *name = gasan_strings_basename(path);
  return gasan_strings_end(name, ".o") || gasan_strings_end(name, ".obj") || gasan_strings_end(name, ".a") ||
         gasan_strings_end(name, ".so") || strstr(name, ".so.") != NULL;
}

static bool is_cuda(const struct gasan_nvcc_line *line, const char *input) {
  return line->language ? !strcmp(line->language, "cuda") : gasan_strings_end(input, ".cu");
}

static bool is_c(const struct gasan_nvcc_line *line, const char *input) {
  return line->language ? !strcmp(line->language, "c") : gasan_strings_end(input, ".c");
}

static bool makes_program(const struct gasan_nvcc_line *line) {
  return line->phase == GASAN_NVCC_LINK || line->phase == GASAN_NVCC_DEVICE_LINK;
}

/* clang++ takes .c files for C++, nvcc for C. */
static void push_inputs(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  static const char by_name[] = "none";
  const char *language = by_name;
  for (size_t i = 0; i < line->inputs.count; i++) {
    const char *input = line->inputs.items[i], *next = by_name;
    if (!is_library_or_object(input))
      next = line->language ? line->language : is_c(line, input) ? "c" : by_name;
    if (strcmp(next, language) != 0)
      gasan_strings_push_each(clang, "-x", next, NULL);
    gasan_strings_push(clang, input);
    language = next;
  }
  if (language != by_name && makes_program(line)) /* libraries follow */
    gasan_strings_push_each(clang, "-x", by_name, NULL);
}

/* Adds the language standard. GCC, and so nvcc, ignores a standard of C++ for C. */
static void push_standard(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  const char *c_source = NULL;
  bool has_others = false;
  for (size_t i = 0; i < line->inputs.count; i++)
    if (is_c(line, line->inputs.items[i]))
      c_source = line->inputs.items[i];
    else
      has_others |= !is_library_or_object(line->inputs.items[i]);
  if (!line->standard || (c_source && !has_others && strstr(line->standard, "++")))
    return;
  if (c_source && strstr(line->standard, "++"))
    gasan_message_fatal("-std=%s is for C++, and '%s' is C; compile '%s' with -c in a command of its own",
                        line->standard, c_source, c_source);
  gasan_strings_push(clang, gasan_strings_format("-std=%s", line->standard));
}

/* Returns the name that nvcc would give the output, or NULL for clang's own. */
static const char *output_name(const struct gasan_nvcc_line *line) {
  const char *extension = line->phase == GASAN_NVCC_PTX      ? ".ptx"
                          : line->phase == GASAN_NVCC_CUBIN  ? ".cubin"
                          : line->phase == GASAN_NVCC_FATBIN ? ".fatbin"
                                                             : ".o";
  bool own = line->phase == GASAN_NVCC_PTX || line->phase == GASAN_NVCC_CUBIN || line->phase == GASAN_NVCC_FATBIN;
  bool has_folder = line->output_folder && *line->output_folder;
  if (line->output || !(own || (line->phase == GASAN_NVCC_COMPILE && has_folder)))
    return line->output;
  const char *file = gasan_strings_replace_extension(gasan_strings_basename(line->inputs.items[0]), extension);
  return has_folder ? gasan_strings_format("%s/%s", line->output_folder, file) : file;
}

static void push_phase(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  switch (line->phase) {
  case GASAN_NVCC_COMPILE:
    gasan_strings_push(clang, "-c");
    break;
  case GASAN_NVCC_PTX:
    gasan_strings_push_each(clang, "--cuda-device-only", "-S", NULL);
    break;
  case GASAN_NVCC_CUBIN:
  case GASAN_NVCC_FATBIN:
    gasan_strings_push_each(clang, "--cuda-device-only", "-c", NULL);
    break;
  case GASAN_NVCC_DEPENDENCIES: /* as nvcc, of the host's code */
    gasan_strings_push(clang, "--cuda-host-only");
    break;
  case GASAN_NVCC_DEVICE_LINK:
    gasan_strings_push(clang, "--gasan-device-link");
    break;
  default:
    break;
  }
}

static bool compiles_source(const struct gasan_nvcc_line *line) {
  for (size_t i = 0; i < line->inputs.count; i++)
    if (!is_library_or_object(line->inputs.items[i]))
      return true;
  return false;
}

static bool has_cuda_source(const struct gasan_nvcc_line *line) {
  for (size_t i = 0; i < line->inputs.count; i++)
    if (is_cuda(line, line->inputs.items[i]))
      return true;
  return false;
}

/* Adds options that make clang accept code that nvcc accepts, and find files that nvcc finds. CMake identifies the
 * compiler as nvcc by a macro that the toolkit's headers must not see otherwise. */
static void push_compatibility(const struct gasan_nvcc_line *line, const struct gasan_paths *paths,
                               const char *cuda_folder, struct gasan_strings *clang) {
  struct gasan_toolkit_version version = gasan_toolkit_version(cuda_folder);
  bool is_identification = false;
  for (size_t i = 0; i < line->inputs.count; i++)
    is_identification |= !strcmp(gasan_strings_basename(line->inputs.items[i]), "CMakeCUDACompilerId.cu");
  gasan_strings_push_each(clang, "-Wno-unknown-warning-option", "-Wno-register", "-Wno-c++11-narrowing",
                          "-Wno-pass-failed", "-idirafter", gasan_strings_format("%s/include", cuda_folder),
                          "-idirafter", gasan_strings_format("%s/include/cccl", cuda_folder), NULL);
  gasan_toolkit_push_includes(cuda_folder, clang);
  if (is_identification)
    gasan_strings_push(clang, "-DGASAN_NVCC_IS_NVCC");
  if (has_cuda_source(line))
    gasan_strings_push_each(clang, gasan_strings_format("-DGASAN_NVCC_MAJOR=%d", version.major),
                            gasan_strings_format("-DGASAN_NVCC_MINOR=%d", version.minor), "-include",
                            gasan_strings_format("%s/gasan_nvcc.h", paths->include_folder), NULL);
}

/* Returns the option under which gasan_nvcc.h defines a macro that clang must not see before: clang includes headers of
 * CUDA that use these letters, nvcc does not. Returns other options as they are. */
static const char *defined_late(const char *option) {
  const bool defines = gasan_strings_start(option, "-D") || gasan_strings_start(option, "-U");
  const bool is_letter = defines && option[2] && strchr("NVXYk", option[2]) && (!option[3] || option[3] == '=');
  return is_letter ? gasan_strings_format("%.2sGASAN_NVCC_%s", option, option + 2) : option;
}

static void push_options(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  const bool has_header = has_cuda_source(line);
  for (size_t i = 0; i < line->clang.count; i++)
    gasan_strings_push(clang, has_header ? defined_late(line->clang.items[i]) : line->clang.items[i]);
}

static void push_levels(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  if (line->device_debug)
    gasan_strings_push(clang, "-O0");
  else /* without an option, nvcc optimises device code */
    gasan_strings_push(clang, gasan_strings_format("-O%s", line->optimisation ? line->optimisation : "2"));
  if (line->debug)
    gasan_strings_push(clang, "-g");
  else if (line->line_info)
    gasan_strings_push(clang, "-gline-tables-only");
}

/* Adds the CUDA runtime, which nvcc links without being asked. A link with checks leaves it out again. */
static void push_cuda_runtime(const struct gasan_nvcc_line *line, struct gasan_strings *clang) {
  if (!strcmp(line->cuda_runtime, "static"))
    gasan_strings_push_each(clang, "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
  else if (!strcmp(line->cuda_runtime, "shared"))
    gasan_strings_push(clang, "-lcudart");
}

/* Returns the architectures for clang alone, which makes no code then but that of --ptx, --cubin and --fatbin. */
static const char *known_to_clang(const struct gasan_nvcc_line *line, const char *gpus) {
  struct gasan_strings names = gasan_strings_split(gpus, ','), known = {0};
  const bool makes_code = line->phase != GASAN_NVCC_INSPECT && line->phase != GASAN_NVCC_DEPENDENCIES;
  if (makes_code && names.count > 1)
    gasan_message_fatal("--ptx, --cubin and --fatbin are possible for one GPU architecture, and the command names %zu; "
                        "name one",
                        names.count);
  for (size_t i = 0; i < names.count; i++) {
    if (makes_code && gasan_architectures_is_family(names.items[i]))
      gasan_message_fatal("'%s' is possible with -c and in links only; name a GPU of the family (%sa)", names.items[i],
                          gasan_architectures_first(names.items[i]));
    gasan_strings_push(&known, gasan_architectures_first(names.items[i]));
  }
  return gasan_strings_join(&known, ',');
}

static struct gasan_strings clang_command(const struct gasan_nvcc_line *line, const struct gasan_paths *paths,
                                          const char *cuda_folder, const char *gpus) {
  struct gasan_strings clang = {0};
  bool links = makes_program(line);
  gasan_strings_push_each(&clang, "-fsanitize=gpu-address", "-Qunused-arguments", NULL);
  push_phase(line, &clang);
  push_levels(line, &clang);
  if (compiles_source(line))
    push_compatibility(line, paths, cuda_folder, &clang);
  /* With -fopenmp, clang takes the GPUs of a command that has only C++ sources for those of OpenMP's own offloading. */
  const bool is_host_only = compiles_source(line) && !has_cuda_source(line) && !(links && line->rdc);
  if (gpus && !makes_program(line) && line->phase != GASAN_NVCC_COMPILE)
    gpus = known_to_clang(line, gpus);
  if (gpus && !is_host_only)
    gasan_strings_push(&clang, gasan_strings_format("--offload-arch=%s", gpus));
  if (line->rdc)
    gasan_strings_push_each(&clang, "-fgpu-rdc", "-D__CUDACC_RDC__=1", NULL);
  if (line->verbose)
    gasan_strings_push(&clang, "-v");
  if (line->only_prints)
    gasan_strings_push(&clang, "-###");
  push_options(line, &clang);
  push_standard(line, &clang);
  push_inputs(line, &clang);
  const char *output = output_name(line);
  if (output)
    gasan_strings_push_each(&clang, "-o", output, NULL);
  if (links) {
    gasan_strings_push_all(&clang, &line->links);
    gasan_strings_push(&clang, gasan_strings_format("-L%s/lib64", cuda_folder));
    if (line->phase == GASAN_NVCC_LINK)
      push_cuda_runtime(line, &clang);
  }
  const char *more = getenv("GASAN_NVCC_FLAGS");
  struct gasan_strings words = gasan_response_words(more ? more : "");
  gasan_strings_push_all(&clang, &words);
  return clang;
}

static struct gasan_strings archive_command(const struct gasan_nvcc_line *line, const struct gasan_paths *paths) {
  struct gasan_strings command = {0};
  if (!line->output)
    gasan_message_fatal("--lib needs -o with the name of the static library");
  gasan_strings_push_each(&command, gasan_paths_llvm_tool(paths, "llvm-ar"), "rcs", line->output, NULL);
  for (size_t i = 0; i < line->inputs.count; i++) {
    if (!gasan_strings_end(line->inputs.items[i], ".o"))
      gasan_message_fatal("--lib takes objects; compile '%s' with -c first", line->inputs.items[i]);
    gasan_strings_push(&command, line->inputs.items[i]);
  }
  return command;
}

/* Returns the command of --run. nvcc gives it to a shell, so the program's name may have quotes. */
static struct gasan_strings run_command(const struct gasan_nvcc_line *line) {
  struct gasan_strings command = {0};
  struct gasan_strings words = gasan_response_words(line->inputs.items[0]);
  if (line->inputs.count != 1 || words.count != 1 || access(words.items[0], X_OK))
    gasan_message_fatal("--run starts one program that is linked already; link first, without --run");
  const char *program = words.items[0];
  gasan_strings_push(&command, strchr(program, '/') ? program : gasan_strings_format("./%s", program));
  gasan_strings_push_all(&command, &line->run_arguments);
  return command;
}

static bool answer(struct gasan_nvcc_line *line, const struct gasan_paths *paths, const char *cuda_folder) {
  switch (line->query) {
  case GASAN_NVCC_VERSION:
    gasan_nvcc_print_version(cuda_folder);
    return true;
  case GASAN_NVCC_HELP:
    gasan_nvcc_print_help();
    return true;
  case GASAN_NVCC_VIRTUAL:
    gasan_nvcc_print_architectures(cuda_folder, "compute");
    return true;
  case GASAN_NVCC_REAL:
    gasan_nvcc_print_architectures(cuda_folder, "sm");
    return true;
  case GASAN_NVCC_NOTHING:
    break;
  }
  if (!line->verbose)
    return false;
  for (size_t i = 0; i < line->ignored.count; i++)
    fprintf(stderr, "gasan-nvcc: ignored: %s\n", line->ignored.items[i]);
  gasan_nvcc_print_settings(paths, cuda_folder, gasan_nvcc_gpus_list(&line->gpus));
  return gasan_strings_contain(&line->inputs, "__cmake_determine_cuda");
}

/* Adds a command of clang for each input, because clang names the output of only one. */
static void push_each(const struct gasan_nvcc_line *line, const struct gasan_paths *paths, const char *cuda_folder,
                      const char *gpus, struct gasan_nvcc_command *command) {
  if (line->output)
    gasan_message_fatal("-o names one output, and the command has %zu inputs; compile them one by one, or leave -o out",
                        line->inputs.count);
  command->several = gasan_strings_allocate(line->inputs.count * sizeof *command->several);
  for (size_t i = 0; i < line->inputs.count; i++) {
    struct gasan_nvcc_line one = *line;
    one.inputs = (struct gasan_strings){0};
    gasan_strings_push(&one.inputs, line->inputs.items[i]);
    command->several[command->count++] = clang_command(&one, paths, cuda_folder, gpus);
  }
}

/* Makes the file the standard output of -E. clang preprocesses for the host and for each GPU, and takes no -o then. */
static void preprocess_into(struct gasan_nvcc_line *line) {
  if (!line->only_prints && !freopen(line->output, "w", stdout))
    gasan_message_fatal("cannot write '%s': %s", line->output, strerror(errno));
  line->output = NULL;
}

struct gasan_nvcc_command gasan_nvcc_translate(const struct gasan_strings *arguments, const struct gasan_paths *paths) {
  struct gasan_nvcc_line line = gasan_nvcc_read(arguments);
  struct gasan_nvcc_command command = {.verbose = line.verbose, .only_prints = line.only_prints};
  const char *cuda_folder = gasan_paths_cuda(NULL);
  if (line.phase == GASAN_NVCC_INSPECT && line.output)
    preprocess_into(&line);
  command.answered = answer(&line, paths, cuda_folder);
  if (command.answered)
    return command;
  if (line.questions.count)
    command.clang = line.questions;
  else if (!line.inputs.count)
    gasan_message_fatal("no input files");
  else if (line.phase == GASAN_NVCC_ARCHIVE)
    command.other = archive_command(&line, paths);
  else if (line.phase == GASAN_NVCC_RUN)
    command.other = run_command(&line);
  else if (line.inputs.count > 1 && !makes_program(&line))
    push_each(&line, paths, cuda_folder, gasan_nvcc_gpus_list(&line.gpus), &command);
  else
    command.clang = clang_command(&line, paths, cuda_folder, gasan_nvcc_gpus_list(&line.gpus));
  return command;
}
