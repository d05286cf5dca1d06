/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/device_image.h"
#include "device/cpu/image.h"
#include "driver/architectures.h"
#include "driver/cubin.h"
#include "driver/file.h"
#include "driver/identity.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/registers.h"
#include "driver/temporary.h"

#include <string.h>

#define ID_DIGITS 24
_Static_assert(ID_DIGITS < sizeof((struct gasan_cpu_trailer *)0)->id, "the id and a NUL");

void gasan_device_image_start(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                              const char *stem, const char *optimisation, bool keep_debug) {
  *image = (struct gasan_device_image){.stem = stem, .optimisation = optimisation, .keep_debug = keep_debug};
  for (size_t i = 0; i < toolchain->architectures.count; i++)
    gasan_strings_push(&image->assembly,
                       gasan_temporary_path(gasan_strings_format("%s-%s.s", stem, toolchain->architectures.items[i])));
  image->cpu_bitcode = gasan_temporary_path(gasan_strings_format("%s-cpu.bc", stem));
  image->gpu_binary = gasan_temporary_path(gasan_strings_format("%s.fatbin", stem));
  image->cpu_object = gasan_temporary_path(gasan_strings_format("%s-cpu.o", stem));
}

/* Includes the newest architecture's PTX unless the user forbids it, so that the program also runs on later GPUs. */
static bool includes_ptx(const struct gasan_toolchain *toolchain, size_t index) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  const char *name = toolchain->architectures.items[index];
  bool includes = index + 1 == toolchain->architectures.count;
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role == GASAN_ROLE_INCLUDE_PTX && (!strcmp(argument->value, "all") || !strcmp(argument->value, name)))
      includes = !gasan_strings_start(argument->text, "--no-");
  }
  return includes;
}

static void push_image(struct gasan_strings *command, const char *kind, const char *architecture, const char *file) {
  gasan_strings_push(command, gasan_strings_format("--image3=kind=%s,sm=%s,file=%s", kind,
                                                   gasan_architectures_number(architecture), file));
}

const char *gasan_device_image_embedded_ptx(const struct gasan_device_image *image,
                                            const struct gasan_toolchain *toolchain, size_t index) {
  const char *assembly = image->assembly.items[index];
  const char *limited = gasan_temporary_path(
      gasan_strings_format("%s-%s-embedded.s", image->stem, toolchain->architectures.items[index]));
  bool wanted = gasan_process_runs();
  return wanted && gasan_registers_limit(assembly, limited) ? limited : assembly;
}

static struct gasan_strings fatbinary_command(const struct gasan_device_image *image,
                                              const struct gasan_toolchain *toolchain,
                                              const struct gasan_strings *binaries) {
  struct gasan_strings command = {0};
  /* Variants and the device runtime make images three times as large; compressed, they take a third. By default,
   * fatbinary compresses PTX only. */
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "fatbinary"), "-64", "--compress-all",
                          "--create", image->gpu_binary, NULL);
  for (size_t i = 0; i < binaries->count; i++) {
    push_image(&command, "elf", toolchain->architectures.items[i], binaries->items[i]);
    if (includes_ptx(toolchain, i))
      push_image(&command, "ptx", toolchain->architectures.items[i],
                 gasan_device_image_embedded_ptx(image, toolchain, i));
  }
  gasan_arguments_push_values(&command, toolchain->arguments, GASAN_ROLE_FATBINARY);
  return command;
}

static const char *make_id(const struct gasan_device_image *image, const struct gasan_strings *names) {
  struct gasan_identity identity = gasan_identity_start();
  for (size_t i = 0; i < names->count; i++)
    gasan_identity_add_text(&identity, names->items[i]);
  if (gasan_process_runs()) {
    struct gasan_bytes bitcode = gasan_file_read(image->cpu_bitcode);
    gasan_identity_add(&identity, bitcode.data, bitcode.size);
  }
  return gasan_identity_text(&identity, ID_DIGITS);
}

void gasan_device_image_push_output(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                    size_t index, struct gasan_strings *command) {
  if (index + 1 == toolchain->architectures.count)
    gasan_strings_push_each(command, "-mllvm", gasan_strings_format("-gasan-cpu-bitcode=%s", image->cpu_bitcode), NULL);
  if (gasan_arguments_cpu_only(toolchain->arguments))
    gasan_strings_push_each(command, "-emit-llvm", "-c", "-o", "/dev/null", NULL);
  else
    gasan_strings_push_each(command, "-S", "-o", image->assembly.items[index], NULL);
}

/* Adds the host's AddressSanitizer, without optimisation: an optimiser that merges or drops accesses once more would
 * change the verdicts that are compared. Leaves the stack alone, because stacks belong to fibers and gasan does not
 * check variables in this build. */
static void push_host_checks(struct gasan_strings *command) {
  gasan_strings_push_each(command, "-O0", "-fsanitize=address", "-fno-sanitize-address-use-after-scope", "-mllvm",
                          "-asan-stack=0", "-mllvm", "-asan-globals=0", NULL);
}

/* Adds the level for the image for the CPU device, whose code is optimised already as code for the GPU. Beside code for
 * GPUs, the image mostly runs in tests only: the plugin replaces the optimiser there, and loops are not rewritten for
 * the processor's addressing modes, which would take a tenth of the code generation. */
static void push_cpu_level(const struct gasan_device_image *image, const char *devices, struct gasan_strings *command) {
  if (strcmp(devices, "auto") != 0 || !strcmp(image->optimisation, "-O0"))
    gasan_strings_push(command, image->optimisation);
  else
    gasan_strings_push_each(command, "-O1", "-mllvm", "-disable-lsr", NULL);
}

/* `devices`: the value of -fsanitize-gpu-address-devices. */
static void push_retarget(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                          const char *devices, const char *id, struct gasan_strings *command) {
  gasan_toolchain_push_ir_clang(toolchain, command, "x86_64-pc-linux-gnu");
  push_cpu_level(image, devices, command);
  gasan_strings_push_each(command, "-march=x86-64-v3", "-fPIC", NULL);
  if (gasan_arguments_host_checks(toolchain->arguments))
    push_host_checks(command);
  /* Line tables need no analysis of variables' locations, which takes a tenth of the code generation. */
  if (!gasan_arguments_has_debug(toolchain->arguments))
    gasan_strings_push_each(command, "-mllvm", "-experimental-debug-variable-locations=false", NULL);
  gasan_toolchain_push_plugin(toolchain, command);
  gasan_strings_push_each(
      command, "-mllvm", "-gasan-retarget", "-mllvm", gasan_strings_format("-gasan-cpu-image-id=%s", id), "-mllvm",
      gasan_strings_format("-gasan-cpu-helpers=%s", toolchain->paths.cpu_helpers), "-mllvm",
      gasan_strings_format("-gasan-cpu-runtime=%s", toolchain->paths.runtime_library), "-mllvm",
      gasan_strings_format("-gasan-devices=%s", devices), "-c", image->cpu_bitcode, "-o", image->cpu_object, NULL);
}

/* Runs the retargeting after ptxas has failed, to find the source line. For a wrong asm statement, ptxas names a line
 * of a temporary file. The retargeting for the CPU device mostly fails at the same statement, and names its line in the
 * source. */
static void say_where(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain) {
  struct gasan_strings command = {0};
  push_retarget(image, toolchain, "cpu", "none", &command);
  gasan_process_run_one(&command);
}

/* Names the family as the target of the PTX, which clang has made for the family's first GPU. */
static void name_family(const char *assembly, const char *family) {
  static const char target[] = ".target ";
  struct gasan_bytes contents = gasan_file_read(assembly);
  const char *text = (const char *)contents.data, *found = strstr(text, target);
  const size_t length = strlen(gasan_architectures_first(family));
  if (!found)
    gasan_message_fatal("'%s' has no target, where '%s' should be", assembly, family);
  found += strlen(target) + length;
  const char *changed = gasan_strings_format("%.*sf%s", (int)(found - text), text, found);
  gasan_file_write(assembly, changed, strlen(changed));
}

int gasan_device_image_assemble(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                const struct gasan_strings *names, const char **id) {
  size_t count = gasan_arguments_cpu_only(toolchain->arguments) ? 0 : toolchain->architectures.count;
  struct gasan_strings binaries = {0};
  for (size_t i = 0; i < count; i++) {
    const char *binary = gasan_strings_format("%s-%s.cubin", image->stem, toolchain->architectures.items[i]);
    gasan_strings_push(&binaries, gasan_temporary_path(binary));
    if (gasan_process_runs() && gasan_architectures_is_family(toolchain->architectures.items[i]))
      name_family(image->assembly.items[i], toolchain->architectures.items[i]);
  }
  int result = gasan_cubin_make(image, toolchain, &binaries);
  if (result) {
    say_where(image, toolchain);
    return result;
  }
  struct gasan_strings fatbinary = fatbinary_command(image, toolchain, &binaries);
  result = gasan_process_run_one(&fatbinary);
  if (result)
    return result;
  *id = make_id(image, names);
  struct gasan_cpu_trailer trailer = {
      .magic = GASAN_FAT_BINARY_MAGIC, .version = 1, .header_size = sizeof trailer, .kind = GASAN_CPU_TRAILER_KIND};
  memcpy(trailer.id, *id, ID_DIGITS);
  if (gasan_process_runs())
    gasan_file_append(image->gpu_binary, &trailer, sizeof trailer);
  return 0;
}

void gasan_device_image_push_retarget(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                      const char *id, struct gasan_strings *command) {
  push_retarget(image, toolchain, toolchain->arguments->options.devices, id, command);
}
