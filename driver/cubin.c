/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/cubin.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/nv_info.h"
#include "driver/process.h"
#include "driver/ptx_linking.h"
#include "driver/registers.h"
#include "driver/temporary.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number of registers for each function of the device runtime. With 32, all threads of a multiprocessor fit.
 * Kernels have no such limit. */
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

static struct gasan_strings ptxas_command(const struct gasan_device_image *image,
                                          const struct gasan_toolchain *toolchain, size_t index, const char *object,
                                          const char *binary) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "ptxas"), "-m64", NULL);
  if (image->keep_debug)
    gasan_strings_push_each(&command, "-g", "--dont-merge-basicblocks", "--return-at-end", NULL);
  else
    gasan_strings_push(&command, ptxas_level(image->optimisation));
  gasan_strings_push_each(&command, "--gpu-name", toolchain->architectures.items[index], image->assembly.items[index],
                          "-o", object ? object : binary, NULL);
  if (object)
    gasan_strings_push_each(&command, "-c", "--device-function-maxrregcount", RUNTIME_REGISTERS, NULL);
  gasan_arguments_push_values(&command, toolchain->arguments, GASAN_ROLE_PTXAS);
  return command;
}

/* Returns the command. --ignore-host-info makes nvlink keep all variables, since host code may look up any of them by
 * name. */
static struct gasan_strings nvlink_command(const struct gasan_toolchain *toolchain, size_t index, const char *object,
                                           const char *binary) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), "-m64", "--ignore-host-info",
                          "--arch", toolchain->architectures.items[index], object, "-o", binary, NULL);
  return command;
}

/* Returns true if the file is to be assembled as an object and linked. */
static bool is_linked(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index) {
  const struct gasan_driver_options *options = &toolchain->arguments->options;
  if (strcmp(options->mode, "bst") != 0 || image->keep_debug ||
      access(gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), X_OK))
    return false;
  struct gasan_bytes assembly;
  return !gasan_process_runs() || !gasan_file_try_read(image->assembly.items[index], &assembly) ||
         gasan_ptx_linking_suits((const char *)assembly.data);
}

/* Links the object. If nvlink refuses it (for example a kernel that is compiled for fewer registers), assembles the PTX
 * as a whole. */
static int link_one(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                    const char *object, const char *binary) {
  struct gasan_strings command = nvlink_command(toolchain, index, object, binary);
  char *output, *errors;
  if (!gasan_process_runs())
    return gasan_process_run_one(&command);
  if (!gasan_process_ask(&command, &output, &errors))
    return 0;
  command = ptxas_command(image, toolchain, index, NULL, binary);
  return gasan_process_run_one(&command);
}

static bool succeeds(const struct gasan_strings *command) {
  char *output, *errors;
  return !gasan_process_ask(command, &output, &errors);
}

/* Makes one binary again. Prints nothing, because the tools printed their messages the first time. */
static bool make_again(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                       const char *binary) {
  if (is_linked(image, toolchain, index)) {
    const char *object = gasan_temporary_path(
        gasan_strings_format("%s-%s-fitted.o", image->stem, toolchain->architectures.items[index]));
    struct gasan_strings assemble = ptxas_command(image, toolchain, index, object, NULL);
    struct gasan_strings link = nvlink_command(toolchain, index, object, binary);
    if (succeeds(&assemble) && succeeds(&link))
      return true;
  }
  struct gasan_strings command = ptxas_command(image, toolchain, index, NULL, binary);
  return succeeds(&command);
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

/* Limits the registers of kernels that are seldom launched before ptxas runs for the first time. */
static void limit_seldom(struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index) {
  const char *limited =
      gasan_temporary_path(gasan_strings_format("%s-%s-limited.s", image->stem, toolchain->architectures.items[index]));
  if (!image->keep_debug && gasan_process_runs() && gasan_registers_limit_seldom(image->assembly.items[index], limited))
    image->assembly.items[index] = limited;
}

int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries) {
  size_t count = binaries->count;
  struct gasan_strings *commands = gasan_strings_allocate(count * sizeof *commands), objects = {0};
  for (size_t i = 0; i < count; i++) {
    const char *object = NULL;
    limit_seldom(image, toolchain, i);
    if (is_linked(image, toolchain, i))
      object = gasan_temporary_path(gasan_strings_format("%s-%s.o", image->stem, toolchain->architectures.items[i]));
    gasan_strings_push(&objects, object);
    commands[i] = ptxas_command(image, toolchain, i, object, binaries->items[i]);
  }
  int result = gasan_process_run(commands, count);
  for (size_t i = 0; i < count && !result; i++)
    if (objects.items[i])
      result = link_one(image, toolchain, i, objects.items[i], binaries->items[i]);
  for (size_t i = 0; i < count && !result && gasan_process_runs(); i++) {
    fit(image, toolchain, i, binaries->items[i]);
    if (!strcmp(toolchain->arguments->options.print_proofs, "on"))
      gasan_nv_info_print(binaries->items[i], toolchain->architectures.items[i]);
  }
  return result;
}
