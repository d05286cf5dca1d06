/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/rdc_link.h"
#include "driver/architectures.h"
#include "driver/attempts.h"
#include "driver/compile.h"
#include "driver/device_image.h"
#include "driver/diagnostics.h"
#include "driver/elf_sections.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/rdc_container.h"
#include "driver/rdc_inputs.h"
#include "driver/rdc_stub.h"
#include "driver/temporary.h"
#include "driver/toolkit.h"

#include <stdio.h>
#include <string.h>

#define STEM "gasan-rdc"

/* The device modules of a link, and the options that they were compiled with. */
struct program {
  struct gasan_strings *bitcode;      /* files, one list for each architecture of the toolchain */
  struct gasan_strings *optional;     /* the same for archive members that only device code may need */
  struct gasan_strings registrations; /* __cudaRegisterLinkedBinary_* functions that the host objects call */
  const char *optimisation;
  bool keep_debug;
  size_t containers;
};

/* Asks the linker which archive members it uses, with CUDA's symbols undefined. The file is not used, so relocations
 * that the kind of file forbids do not matter: CMake gives -shared to device links of programs. */
static struct gasan_rdc_inputs ask_linker(const struct gasan_toolchain *toolchain,
                                          const struct gasan_rdc_inputs *inputs, const struct gasan_strings *link) {
  struct gasan_strings command = {0};
  gasan_strings_push_all(&command, link);
  gasan_strings_push_each(&command,
                          gasan_strings_format("--ld-path=%s", gasan_paths_llvm_tool(&toolchain->paths, "ld.lld")),
                          "-Wno-unused-command-line-argument", "-Wl,-t", "-Wl,--unresolved-symbols=ignore-all",
                          "-Wl,--noinhibit-exec", "-o", "/dev/null", NULL);
  char *trace, *errors;
  if (gasan_process_ask(&command, &trace, &errors)) {
    fputs(errors, stderr);
    gasan_message_fatal(
        "cannot find out which -fgpu-rdc members of the archives are linked: see the linker's error above");
  }
  return gasan_rdc_inputs_select(inputs, trace);
}

static bool has_architecture(const struct gasan_rdc_container *container, const char *name) {
  for (size_t i = 0; i < container->count; i++)
    if (!strcmp(container->modules[i].architecture, name))
      return true;
  return false;
}

/* Reduces the list to the architectures that all objects have, because device code needs every object's part. */
static void keep_common(struct gasan_strings *architectures, const struct gasan_rdc_container *container, bool first) {
  struct gasan_strings common = {0};
  for (size_t i = 0; first && i < container->count; i++)
    gasan_strings_push(&common, container->modules[i].architecture);
  for (size_t i = 0; !first && i < architectures->count; i++)
    if (has_architecture(container, architectures->items[i]))
      gasan_strings_push(&common, architectures->items[i]);
  *architectures = common;
}

/* Finds the architectures. Also finds mode, tags and granule, which the objects determine, not the link's command
 * line. */
static void find_architectures(struct gasan_toolchain *toolchain, const struct gasan_rdc_inputs *inputs) {
  struct gasan_strings common = {0};
  struct gasan_rdc_container container;
  struct gasan_agreement agreement = {0}; /* of linked archive members, too */
  bool first = true;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct gasan_rdc_input *input = &inputs->items[i];
    gasan_agreement_add(&agreement,
                        input->member ? gasan_strings_format("%s(%s)", input->path, input->member) : input->path,
                        input->object);
    for (size_t offset = 0; gasan_rdc_container_read(input->section, &offset, &container); first = false) {
      keep_common(&common, &container, first);
      if (!first && strcmp(container.mode, toolchain->mode) != 0)
        gasan_message_fatal(
            "'%s' was compiled with -fsanitize-gpu-address-mode=%s, but others with %s; with -fgpu-rdc, compile "
            "all with the same",
            input->path, container.mode, toolchain->mode);
      toolchain->mode = container.mode;
      toolchain->tags = container.tags;
      toolchain->granule = container.granule;
    }
  }
  if (!first && !common.count)
    gasan_message_fatal("the -fgpu-rdc objects have no GPU architecture in common; compile them with the same "
                        "--offload-arch");
  gasan_architectures_sort(&common);
  gasan_architectures_reduce(&common, toolchain->arguments);
  toolchain->architectures = common;
}

static void unpack(const struct gasan_toolchain *toolchain, const struct gasan_rdc_container *container,
                   struct program *program, struct gasan_strings *lists) {
  for (size_t i = 0; i < toolchain->architectures.count; i++)
    for (size_t j = 0; j < container->count; j++) {
      const char *name = toolchain->architectures.items[i];
      if (strcmp(container->modules[j].architecture, name) != 0)
        continue;
      const char *file = gasan_temporary_path(gasan_strings_format(STEM "-%zu-%s.bc", program->containers, name));
      if (gasan_process_runs())
        gasan_file_write(file, container->modules[j].bitcode.data, container->modules[j].bitcode.size);
      gasan_strings_push(&lists[i], file);
    }
  if (!program->optimisation || strcmp(container->optimisation, program->optimisation) > 0)
    program->optimisation = container->optimisation;
  program->keep_debug |= container->keep_debug;
  program->containers++;
}

static struct program read_program(const struct gasan_toolchain *toolchain, const struct gasan_rdc_inputs *inputs,
                                   const struct gasan_rdc_inputs *others) {
  struct program program = {0};
  program.optional = gasan_strings_allocate(toolchain->architectures.count * sizeof *program.optional);
  program.bitcode = gasan_strings_allocate(toolchain->architectures.count * sizeof *program.bitcode);
  for (size_t i = 0; i < inputs->count; i++) {
    struct gasan_rdc_container container;
    for (size_t offset = 0; gasan_rdc_container_read(inputs->items[i].section, &offset, &container);)
      unpack(toolchain, &container, &program, program.bitcode);
    gasan_elf_add_symbols(inputs->items[i].object, GASAN_RDC_REGISTRATION, /*defined=*/false, &program.registrations);
  }
  for (size_t i = 0; i < others->count; i++) {
    struct gasan_rdc_container container;
    for (size_t offset = 0; gasan_rdc_container_read(others->items[i].section, &offset, &container);)
      unpack(toolchain, &container, &program, program.optional);
  }
  return program;
}

/* Adds archive members that device code calls but that the host's linker did not need. Members may need each other in
 * any order, and llvm-link reads each file once, so the members are named several times. */
static void push_optional(const struct gasan_strings *optional, struct gasan_strings *command) {
  if (!optional->count)
    return;
  /* the first file is linked as a whole */
  gasan_strings_push_each(command, "-only-needed", "-suppress-warnings", NULL);
  for (size_t round = 0; round < 4 && round < optional->count; round++)
    gasan_strings_push_all(command, optional);
}

/* Adds the bitcode of this command's own sources. With -###, their objects do not exist, but the names of their bitcode
 * are known. */
static void add_planned(const struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                        struct program *program) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  for (size_t i = 0; i < arguments->count; i++) {
    if (!objects->stems[i])
      continue;
    for (size_t j = 0; j < toolchain->architectures.count; j++)
      gasan_strings_push(&program->bitcode[j],
                         gasan_compile_rdc_bitcode(objects->stems[i], toolchain->architectures.items[j]));
    program->containers++;
  }
}

static int link_modules(const struct gasan_toolchain *toolchain, const struct program *program,
                        const struct gasan_device_image *image) {
  size_t count = toolchain->architectures.count;
  struct gasan_strings *links = gasan_strings_allocate(count * sizeof *links);
  struct gasan_strings *completes = gasan_strings_allocate(count * sizeof *completes);
  struct gasan_strings *compiles = gasan_strings_allocate(count * sizeof *compiles);
  bool complete = false;
  for (size_t i = 0; i < count; i++) {
    const char *name = toolchain->architectures.items[i];
    const char *whole = gasan_temporary_path(gasan_strings_format(STEM "-%s-whole.bc", name));
    const char *linked = gasan_temporary_path(gasan_strings_format(STEM "-%s.bc", name));
    gasan_strings_push(&links[i], gasan_paths_llvm_tool(&toolchain->paths, "llvm-link"));
    gasan_strings_push_all(&links[i], &program->bitcode[i]);
    gasan_strings_push_each(&links[i], "-o", program->optional[i].count ? whole : linked, NULL);
    gasan_strings_push_each(&completes[i], gasan_paths_llvm_tool(&toolchain->paths, "llvm-link"), whole, NULL);
    push_optional(&program->optional[i], &completes[i]);
    gasan_strings_push_each(&completes[i], "-o", linked, NULL);
    complete |= program->optional[i].count > 0;
    gasan_toolchain_push_ir_clang(toolchain, &compiles[i], "nvptx64-nvidia-cuda");
    gasan_strings_push_each(&compiles[i], gasan_strings_format("--cuda-path=%s", toolchain->cuda),
                            gasan_strings_format("-march=%s", gasan_architectures_first(name)), program->optimisation,
                            NULL);
    const char *feature = gasan_toolkit_ptx_feature(name);
    if (feature)
      gasan_strings_push_each(&compiles[i], "-Xclang", "-target-feature", "-Xclang", feature, NULL);
    if (gasan_arguments_asan_checks(toolchain->arguments))
      gasan_toolchain_push_sanitizer(&compiles[i]);
    gasan_toolchain_push_instrumentation(toolchain, &compiles[i], program->keep_debug);
    gasan_strings_push(&compiles[i], linked);
    gasan_device_image_push_output(image, toolchain, i, &compiles[i]);
  }
  int result = gasan_process_run(links, count);
  if (!result && complete)
    result = gasan_process_run(completes, count);
  return result ? result : gasan_process_run(compiles, count);
}

struct objects {
  const struct program *program;
  const char *name; /* of the linked file */
  const char *cpu_image, *stub;
};

static int make_objects(const struct gasan_toolchain *toolchain, void *context) {
  struct objects *objects = context;
  const struct program *program = objects->program;
  struct gasan_device_image image;
  gasan_device_image_start(&image, toolchain, STEM, program->optimisation, program->keep_debug);
  int result = link_modules(toolchain, program, &image);
  if (result)
    return result;
  struct gasan_strings names = {0};
  gasan_strings_push(&names, objects->name);
  const char *id;
  result = gasan_device_image_assemble(&image, toolchain, &names, &id);
  if (result)
    return result;
  objects->stub = gasan_temporary_path(STEM "-stub.o");
  objects->cpu_image = image.cpu_object;
  struct gasan_strings both[2] = {{0}, {0}};
  gasan_device_image_push_retarget(&image, toolchain, id, &both[0]);
  gasan_rdc_stub_push_compile(toolchain, image.gpu_binary, &program->registrations, STEM, objects->stub, &both[1]);
  return gasan_process_run(both, 2);
}

int gasan_rdc_link(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                   const struct gasan_strings *inputs, struct gasan_strings *command) {
  const struct gasan_rdc_inputs all = gasan_rdc_inputs_find(toolchain->arguments, objects);
  struct gasan_rdc_inputs found = gasan_rdc_inputs_not_linked(&all);
  if (all.foreign)
    gasan_message_fatal("'%s' has relocatable device code of another compiler, which cannot be linked with checks; "
                        "compile it by gasan-nvcc or gasan-clang++",
                        all.foreign);
  toolchain->program_cuda = all.agreement.cuda.value ? all.agreement.cuda.value : all.archive_cuda;
  bool planned = !gasan_process_runs() && toolchain->arguments->rdc && toolchain->arguments->cuda_inputs;
  struct gasan_rdc_inputs others = {0};
  if (found.archives && !planned) {
    struct gasan_rdc_inputs taken = ask_linker(toolchain, &found, inputs);
    others = gasan_rdc_inputs_others(&found, &taken);
    found = taken;
  }
  if (!found.count && !planned)
    return 0;
  if (found.count)
    find_architectures(toolchain, &found);
  struct program program = read_program(toolchain, &found, &others);
  if (planned)
    add_planned(toolchain, objects, &program);
  if (toolchain->arguments->optimisation || !program.optimisation)
    program.optimisation = gasan_arguments_optimisation(toolchain->arguments);
  if (gasan_process_runs()) {
    gasan_paths_require_cuda(toolchain->cuda);
    gasan_paths_require_own(&toolchain->paths);
  }
  gasan_diagnostics_forget();
  const char *output = toolchain->arguments->output;
  struct objects made = {.program = &program, .name = output ? output : "a.out"};
  int result = gasan_attempts_run(toolchain, made.name, make_objects, &made);
  /* Last, because the stub's constructor has to run after those of all objects. */
  gasan_strings_push_each(command, made.cpu_image, made.stub, NULL);
  return result;
}
