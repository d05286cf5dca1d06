/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/cubin.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/nv_info.h"
#include "driver/process.h"
#include "driver/ptx_split.h"
#include "driver/ptx_tables.h"
#include "driver/ptx_text.h"
#include "driver/registers.h"
#include "driver/temporary.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number of registers for each function of the device runtime. With 32, all threads of a multiprocessor fit. */
#define RUNTIME_REGISTERS "32"

/* Returns the ptxas option for clang's -O option, as clang's own driver does. */
static const char *ptxas_level(const char *optimisation) {
  static const struct {
    const char *option, *level;
  } levels[] = {{"-O0", "-O0"}, {"-O1", "-O1"}, {"-O", "-O1"}, {"-O3", "-O3"}, {"-O4", "-O3"}, {"-Ofast", "-O3"}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (!strcmp(optimisation, levels[i].option))
      return levels[i].level;
  return "-O2";
}

/* The files of one architecture. */
struct files {
  const char *program, *runtime; /* PTX; without runtime_object, `program` is the whole */
  const char *program_object;    /* for nvlink; NULL: ptxas makes the binary */
  const char *runtime_object;    /* NULL: the PTX is not divided */
  bool launches;                 /* kernels launch kernels, by CUDA's device runtime */
};

/* Returns the PTX that ptxas reads. */
static const char *with_short_tables(const char *assembly) {
  const char *name = gasan_strings_replace_extension(gasan_strings_basename(assembly), "");
  const char *shortened = gasan_temporary_path(gasan_strings_format("%s-words.s", name));
  return gasan_process_runs() && gasan_ptx_tables_shorten(assembly, shortened) ? shortened : assembly;
}

static struct gasan_strings ptxas_command(const struct gasan_device_image *image,
                                          const struct gasan_toolchain *toolchain, size_t index, const char *assembly,
                                          const char *output) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "ptxas"), "-m64", NULL);
  if (image->keep_debug)
    gasan_strings_push_each(&command, "-g", "--dont-merge-basicblocks", "--return-at-end", NULL);
  else
    gasan_strings_push(&command, ptxas_level(image->optimisation));
  gasan_strings_push_each(&command, "--gpu-name", toolchain->architectures.items[index], with_short_tables(assembly),
                          "-o", output, NULL);
  return command;
}

/* Returns the command for the whole program, or for the program's code if the runtime is an object of its own. */
static struct gasan_strings program_command(const struct gasan_device_image *image,
                                            const struct gasan_toolchain *toolchain, size_t index,
                                            const struct files *files, const char *binary) {
  struct gasan_strings command = files->program_object
                                     ? ptxas_command(image, toolchain, index, files->program, files->program_object)
                                     : ptxas_command(image, toolchain, index, image->assembly.items[index], binary);
  if (files->program_object)
    gasan_strings_push(&command, "--extensible-whole-program");
  gasan_arguments_push_values(&command, toolchain->arguments, GASAN_ROLE_PTXAS);
  return command;
}

static struct gasan_strings runtime_command(const struct gasan_device_image *image,
                                            const struct gasan_toolchain *toolchain, size_t index,
                                            const struct files *files) {
  struct gasan_strings command = ptxas_command(image, toolchain, index, files->runtime, files->runtime_object);
  gasan_strings_push_each(&command, "-c", "--device-function-maxrregcount", RUNTIME_REGISTERS, NULL);
  return command;
}

/* Returns the folder of the toolkit's libcudadevrt.a, or NULL. */
static const char *device_runtime_folder(const char *cuda) {
  static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *folder = gasan_strings_format("%s/%s", cuda, folders[i]);
    if (!access(gasan_strings_format("%s/libcudadevrt.a", folder), R_OK))
      return folder;
  }
  return NULL;
}

/* Returns true if kernels of the PTX call CUDA's device runtime: they launch kernels, or ask about the device. */
static bool calls_device_runtime(const char *assembly) {
  static const char prefix[] = "\n.extern .func";
  struct gasan_bytes text;
  if (!gasan_process_runs() || !gasan_file_try_read(assembly, &text))
    return false;
  for (const char *at = (const char *)text.data; (at = strstr(at, prefix)); at++)
    if (gasan_ptx_line_has(at + 1, " __cudaCDP2"))
      return true;
  return false;
}

/* Returns the command. --ignore-host-info makes nvlink keep all variables, since host code may look up any of them by
 * name. The option -w drops the warning that such a program links with cudadevrt only. */
static struct gasan_strings nvlink_command(const struct gasan_toolchain *toolchain, size_t index,
                                           const struct files *files, const char *binary) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), "-m64", "-w",
                          "--ignore-host-info", "--arch", toolchain->architectures.items[index], files->program_object,
                          NULL);
  if (files->runtime_object)
    gasan_strings_push(&command, files->runtime_object);
  const char *folder = files->launches ? device_runtime_folder(toolchain->cuda) : NULL;
  if (folder)
    gasan_strings_push_each(&command, "-L", folder, "-lcudadevrt", NULL);
  else if (files->launches)
    gasan_message_warning(
        "'%s' has no libcudadevrt.a, which kernels need that launch kernels; install its cudart (cuda-cudart-dev)",
        toolchain->cuda);
  gasan_strings_push_each(&command, "-o", binary, NULL);
  return command;
}

/* Divides the PTX, if it can be divided. `kind`: part of the new files' names. */
static struct files divide(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                           size_t index, const char *kind) {
  const struct gasan_driver_options *options = &toolchain->arguments->options;
  const char *name = gasan_strings_format("%s-%s%s", image->stem, toolchain->architectures.items[index], kind);
  struct files files = {.program = gasan_temporary_path(gasan_strings_format("%s-program.s", name)),
                        .runtime = gasan_temporary_path(gasan_strings_format("%s-runtime.s", name)),
                        .launches = calls_device_runtime(image->assembly.items[index])};
  const bool divided =
      strcmp(options->mode, "bst") == 0 && !image->keep_debug &&
      !access(gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), X_OK) &&
      (!gasan_process_runs() || gasan_ptx_split(image->assembly.items[index], files.program, files.runtime));
  if (divided)
    files.runtime_object = gasan_temporary_path(gasan_strings_format("%s-runtime.cubin", name));
  else
    files.program = image->assembly.items[index];
  if (divided || files.launches)
    files.program_object = gasan_temporary_path(gasan_strings_format("%s-program.cubin", name));
  return files;
}

/* Writes the commands for PTX that is not divided, and returns their number. `files`: of the divided PTX. */
static size_t whole_commands(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                             size_t index, const struct files *files, const char *binary,
                             struct gasan_strings commands[2]) {
  const struct files whole = {.program = image->assembly.items[index],
                              .program_object = files->launches ? files->program_object : NULL,
                              .launches = files->launches};
  commands[0] = program_command(image, toolchain, index, &whole, binary);
  if (!whole.program_object)
    return 1;
  commands[1] = nvlink_command(toolchain, index, &whole, binary);
  return 2;
}

/* Links program and runtime. If nvlink refuses them (for example a kernel that is compiled for fewer registers),
 * assembles the PTX as a whole. */
static int link_one(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                    const struct files *files, const char *binary) {
  struct gasan_strings command = nvlink_command(toolchain, index, files, binary);
  char *output, *errors;
  if (!gasan_process_runs() || !files->runtime_object)
    return gasan_process_run_one(&command);
  if (!gasan_process_ask(&command, &output, &errors))
    return 0;
  struct gasan_strings commands[2];
  const size_t count = whole_commands(image, toolchain, index, files, binary, commands);
  int result = 0;
  for (size_t i = 0; i < count && !result; i++)
    result = gasan_process_run_one(&commands[i]);
  return result;
}

static bool succeeds(const struct gasan_strings *command) {
  char *output, *errors;
  return !gasan_process_ask(command, &output, &errors);
}

/* Makes one binary again. Prints nothing, because the tools printed their messages the first time. */
static bool make_again(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                       const char *binary) {
  const struct files files = divide(image, toolchain, index, "-fitted");
  if (files.runtime_object) {
    struct gasan_strings program = program_command(image, toolchain, index, &files, binary);
    struct gasan_strings runtime = runtime_command(image, toolchain, index, &files);
    struct gasan_strings link = nvlink_command(toolchain, index, &files, binary);
    if (succeeds(&program) && succeeds(&runtime) && succeeds(&link))
      return true;
  }
  struct gasan_strings commands[2];
  const size_t count = whole_commands(image, toolchain, index, &files, binary, commands);
  return succeeds(&commands[0]) && (count == 1 || succeeds(&commands[1]));
}

/* Makes the binary again if a kernel takes too many registers for blocks that the program may launch
 * (driver/registers.h). If ptxas refuses the new PTX, the binary stays as it is. */
static void fit(struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                const char *binary) {
  const char *name = gasan_strings_format("%s-%s-fitted", image->stem, toolchain->architectures.items[index]);
  const char *assembly = image->assembly.items[index],
             *fitted = gasan_temporary_path(gasan_strings_format("%s.s", name));
  const char *fitted_binary = gasan_temporary_path(gasan_strings_format("%s.cubin", name));
  if (!gasan_registers_fit(assembly, binary, fitted, !image->keep_debug))
    return;
  image->assembly.items[index] = fitted;
  if (make_again(image, toolchain, index, fitted_binary)) {
    struct gasan_bytes contents = gasan_file_read(fitted_binary);
    gasan_file_write(binary, contents.data, contents.size);
    return;
  }
  image->assembly.items[index] = assembly;
  if (toolchain->arguments->verbose)
    gasan_message_warning(
        "'%s': some kernels take too many registers for large blocks, and cannot be assembled with fewer", image->stem);
}

/* Limits the registers of some kernels before ptxas runs for the first time. */
static void limit_first(struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index) {
  const char *limited =
      gasan_temporary_path(gasan_strings_format("%s-%s-limited.s", image->stem, toolchain->architectures.items[index]));
  if (!image->keep_debug && gasan_process_runs() &&
      gasan_registers_limit_first(image->assembly.items[index], limited, toolchain->may_fail))
    image->assembly.items[index] = limited;
}

int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries) {
  size_t count = binaries->count, command_count = 0;
  struct gasan_strings *commands = gasan_strings_allocate(2 * count * sizeof *commands);
  struct files *files = gasan_strings_allocate(count * sizeof *files);
  for (size_t i = 0; i < count; i++) {
    limit_first(image, toolchain, i);
    files[i] = divide(image, toolchain, i, "");
    commands[command_count++] = program_command(image, toolchain, i, &files[i], binaries->items[i]);
    if (files[i].runtime_object)
      commands[command_count++] = runtime_command(image, toolchain, i, &files[i]);
  }
  int result = gasan_process_run(commands, command_count);
  for (size_t i = 0; i < count && !result; i++)
    if (files[i].program_object)
      result = link_one(image, toolchain, i, &files[i], binaries->items[i]);
  for (size_t i = 0; i < count && !result && gasan_process_runs(); i++) {
    fit(image, toolchain, i, binaries->items[i]);
    if (!strcmp(toolchain->arguments->options.print_proofs, "on"))
      gasan_nv_info_print(binaries->items[i], toolchain->architectures.items[i]);
  }
  return result;
}
