/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/cubin.h"
#include "base/proof.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/ptx_text.h"
#include "driver/registers.h"
#include "driver/temporary.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With as many, all of a multiprocessor's threads find room; what a kernel itself has is not limited. */
#define RUNTIME_REGISTERS "32"

/* As clang does it. */
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

/* Host code may ask for any variable by its name. */
static struct gasan_strings nvlink_command(const struct gasan_toolchain *toolchain, size_t index, const char *object,
                                           const char *binary) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), "-m64", "--ignore-host-info",
                          "--arch", toolchain->architectures.items[index], object, "-o", binary, NULL);
  return command;
}

/* The device runtime's own, of which there is one for all kernels that have dynamic shared memory. */
#define RUNTIME_SHARED "__gasan_dynamic_shared"

/* Of shared memory ptxas has to know where it lies: else it does not join accesses. And nvlink gives each kernel all
   variables that other sources could name, so that kernels have more than they asked for. */
static bool is_shared_variable(const char *line) {
  static const char *const linkages[] = {".visible ", ".weak ", ".extern ", ".common "};
  line += strspn(line, " \t");
  for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
    if (gasan_strings_start(line, linkages[i]))
      line += strlen(linkages[i]);
  return gasan_strings_start(line, ".shared ") && !gasan_ptx_line_has(line, RUNTIME_SHARED);
}

/* What a kernel's variant for proven launches does besides the program's own work. */
struct variant {
  bool reports, looks_up, loops, local_arrays;
  bool *labels; /* by number: is it above? */
  size_t label_count;
};

/* Of "$L__BB<function>_<number>". */
static bool label_number(const char *text, unsigned *number) {
  unsigned function;
  return sscanf(text, "$L__BB%u_%u", &function, number) == 2;
}

static void read_line(struct variant *variant, const char *line) {
  line += strspn(line, " \t");
  unsigned number;
  if (label_number(line, &number)) {
    if (number >= variant->label_count) {
      size_t count = 2 * (size_t)number + 64;
      bool *labels = gasan_strings_allocate(count * sizeof *labels);
      if (variant->labels)
        memcpy(labels, variant->labels, variant->label_count * sizeof *labels);
      variant->labels = labels;
      variant->label_count = count;
    }
    variant->labels[number] = true;
    return;
  }
  const char *target = memchr(line, '$', strcspn(line, "\n"));
  if (target && gasan_ptx_line_has(line, "bra") && label_number(target, &number) && number < variant->label_count &&
      variant->labels[number])
    variant->loops = true;
  variant->local_arrays |= gasan_strings_start(line, ".local ");
  if (gasan_ptx_line_has(line, "call")) {
    variant->reports |= gasan_ptx_line_has(line, "__gasan_report");
    variant->looks_up |= gasan_ptx_line_has(line, "__gasan_bounds") || gasan_ptx_line_has(line, "__gasan_check");
  }
}

/* A warp's threads leave a loop one by one. ptxas brings them together behind it if it knows that a report does not
   return, which it learns from the report's code, but not in an object that is to be linked: there, code behind the
   loop may run for each thread alone. What looks bounds up gains more by the registers that it then has. Local arrays
   of what will be linked are not kept in registers. */
static bool gains_as_a_whole(const struct variant *variant) {
  return variant->local_arrays || (variant->reports && variant->loops && !variant->looks_up);
}

/* Would the program be another, or slower, if it was linked? */
static bool must_be_whole(const char *assembly) {
  struct variant variant = {0};
  bool in_variant = false, whole = false;
  for (const char *line = assembly; line && !whole; line = strchr(line, '\n')) {
    line += *line == '\n';
    const char *function = gasan_ptx_symbol(".func", line), *kernel = gasan_ptx_symbol(".entry", line);
    whole = (function && !gasan_ptx_is_runtime(function)) || is_shared_variable(line);
    if (in_variant)
      read_line(&variant, line);
    if (*line == '}') {
      whole = gains_as_a_whole(&variant);
      variant = (struct variant){0};
      in_variant = false;
    }
    if (kernel)
      in_variant = gasan_strings_start(kernel, GASAN_PROVEN_PREFIX);
  }
  return whole;
}

static bool is_linked(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index) {
  const struct gasan_driver_options *options = &toolchain->arguments->options;
  if (strcmp(options->linked_runtime, "on") || strcmp(options->mode, "bst") || image->keep_debug ||
      access(gasan_paths_cuda_tool(toolchain->cuda, "nvlink"), X_OK))
    return false;
  struct gasan_bytes assembly;
  return !gasan_process_runs() || !gasan_file_try_read(image->assembly.items[index], &assembly) ||
         !must_be_whole((const char *)assembly.data);
}

/* What nvlink refuses (a kernel that is compiled for fewer registers, say) is assembled as a whole. */
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

static bool asks_well(const struct gasan_strings *command) {
  char *output, *errors;
  return !gasan_process_ask(command, &output, &errors);
}

/* One file again, without a word: of the first time, all is said. */
static bool make_again(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                       const char *binary) {
  if (is_linked(image, toolchain, index)) {
    const char *object = gasan_temporary_path(
        gasan_strings_format("%s-%s-fitted.o", image->stem, toolchain->architectures.items[index]));
    struct gasan_strings assemble = ptxas_command(image, toolchain, index, object, NULL);
    struct gasan_strings link = nvlink_command(toolchain, index, object, binary);
    if (asks_well(&assemble) && asks_well(&link))
      return true;
  }
  struct gasan_strings command = ptxas_command(image, toolchain, index, NULL, binary);
  return asks_well(&command);
}

/* Sees to it that the kernels fit blocks that the program may launch. What ptxas refuses stays as it was. */
static void fit(struct gasan_device_image *image, const struct gasan_toolchain *toolchain, size_t index,
                const char *binary) {
  const char *name = gasan_strings_format("%s-%s-fitted", image->stem, toolchain->architectures.items[index]);
  const char *assembly = image->assembly.items[index],
             *fitted = gasan_temporary_path(gasan_strings_format("%s.s", name));
  const char *fitted_binary = gasan_temporary_path(gasan_strings_format("%s.cubin", name));
  if (gasan_arguments_host_checks(toolchain->arguments) ||
      !gasan_registers_fit(assembly, binary, fitted, !image->keep_debug))
    return;
  image->assembly.items[index] = fitted;
  if (make_again(image, toolchain, index, fitted_binary)) {
    struct gasan_bytes contents = gasan_file_read(fitted_binary);
    gasan_file_write(binary, contents.data, contents.size);
    return;
  }
  image->assembly.items[index] = assembly;
  if (toolchain->arguments->verbose)
    gasan_message_warning("'%s': kernels that take too many registers for large blocks cannot be assembled with fewer",
                          image->stem);
}

int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries) {
  size_t count = binaries->count;
  struct gasan_strings *commands = gasan_strings_allocate(count * sizeof *commands), objects = {0};
  for (size_t i = 0; i < count; i++) {
    const char *object = NULL;
    if (is_linked(image, toolchain, i))
      object = gasan_temporary_path(gasan_strings_format("%s-%s.o", image->stem, toolchain->architectures.items[i]));
    gasan_strings_push(&objects, object);
    commands[i] = ptxas_command(image, toolchain, i, object, binaries->items[i]);
  }
  int result = gasan_process_run(commands, count);
  for (size_t i = 0; i < count && !result; i++)
    if (objects.items[i])
      result = link_one(image, toolchain, i, objects.items[i], binaries->items[i]);
  for (size_t i = 0; i < count && !result && gasan_process_runs(); i++)
    fit(image, toolchain, i, binaries->items[i]);
  return result;
}
