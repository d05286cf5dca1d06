/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/relocatable.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/rdc_container.h"
#include "driver/rdc_inputs.h"
#include "driver/response.h"
#include "driver/temporary.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EMBEDDED "--embedded-fatbin="
#define IMAGE "--image3=kind="
#define OPTIMISATION "-O3" /* ptxas's own level; the link may name another */

struct gasan_arguments gasan_relocatable_arguments(void) {
  struct gasan_strings texts = {0};
  const char *flags = getenv("GASAN_PTXAS_FLAGS");
  struct gasan_strings words = gasan_response_words(flags ? flags : "");
  gasan_strings_push(&texts, "-fsanitize=gpu-address");
  for (size_t i = 0; i < words.count; i++)
    if (gasan_strings_start(words.items[i], "-fsanitize-gpu-address"))
      gasan_strings_push(&texts, words.items[i]);
  return gasan_arguments_parse(&texts, /*cxx=*/true);
}

int gasan_relocatable_lift(const struct gasan_toolchain *toolchain, const char *ptx, const char *architecture,
                           const char *output) {
  static const char empty[] = "target triple = \"nvptx64-nvidia-cuda\"\n";
  const char *module = gasan_temporary_path("empty.ll");
  struct gasan_strings command = {0};
  gasan_file_write(module, empty, sizeof empty - 1);
  gasan_toolchain_push_ir_clang(toolchain, &command, "nvptx64-nvidia-cuda");
  gasan_strings_push_each(&command, gasan_strings_format("-march=%s", architecture), "-O1", "-Xclang",
                          "-target-feature", "-Xclang", "+ptx90", NULL);
  gasan_toolchain_push_preparation(toolchain, &command);
  gasan_strings_push_each(&command, "-mllvm", gasan_strings_format("-gasan-lift=%s", ptx), "-emit-llvm", "-c", "-o",
                          output, module, NULL);
  return gasan_process_run_one(&command);
}

/* An argument of fatbinary: --image3=kind=elf,sm=90,file=PATH. */
struct image {
  const char *architecture; /* "sm_90" */
  const char *file;
  bool is_ptx;
};

static bool read_image(const char *text, struct image *image) {
  if (!gasan_strings_start(text, IMAGE))
    return false;
  struct gasan_strings parts = gasan_strings_split(text + strlen(IMAGE), ',');
  *image = (struct image){0};
  for (size_t i = 0; i < parts.count; i++)
    if (gasan_strings_start(parts.items[i], "sm="))
      image->architecture = gasan_strings_format("sm_%s", parts.items[i] + strlen("sm="));
  const char *file = strstr(text, ",file="); /* a path may have commas */
  image->file = file ? file + strlen(",file=") : NULL;
  image->is_ptx = parts.count && !strcmp(parts.items[0], "ptx");
  return image->architecture && image->file && (image->is_ptx || (parts.count && !strcmp(parts.items[0], "elf")));
}

static bool has_architecture(const struct gasan_rdc_container *container, const char *architecture) {
  for (size_t i = 0; i < container->count; i++)
    if (!strcmp(container->modules[i].architecture, architecture))
      return true;
  return false;
}

/* Adds the bitcode that gasan_relocatable_lift has written in a cubin's place, and that of PTX for other
 * architectures. */
static int collect(int count, char **texts, const struct gasan_toolchain *toolchain,
                   struct gasan_rdc_container *container) {
  struct image image;
  for (int i = 0; i < count; i++)
    if (read_image(texts[i], &image) && !image.is_ptx)
      gasan_rdc_container_add(container, image.architecture, gasan_file_read(image.file));
  for (int i = 0; i < count; i++) {
    if (!read_image(texts[i], &image) || !image.is_ptx || has_architecture(container, image.architecture))
      continue;
    const char *bitcode = gasan_temporary_path(gasan_strings_format("%s.bc", image.architecture));
    int result = gasan_relocatable_lift(toolchain, image.file, image.architecture, bitcode);
    if (result)
      return result;
    gasan_rdc_container_add(container, image.architecture, gasan_file_read(bitcode));
  }
  return 0;
}

/* Returns the bytes as lines of the form that fatbinary writes. */
static const char *quads(struct gasan_bytes bytes) {
  static const char digits[] = "0123456789abcdef";
  const size_t words = bytes.size / sizeof(uint64_t);
  char *text = gasan_strings_allocate(words * sizeof "\".quad 0x0123456789abcdef\\n\"\n" + 1), *end = text;
  for (size_t i = 0; i < words; i++) {
    uint64_t word;
    memcpy(&word, bytes.data + i * sizeof word, sizeof word);
    end = stpcpy(end, "\".quad 0x");
    for (int shift = 60; shift >= 0; shift -= 4)
      *end++ = digits[word >> shift & 15];
    end = stpcpy(end, "\\n\"\n");
  }
  return text;
}

/* Has the toolkit's fatbinary write the C file around an image without code, and replaces the data by the container.
 * So the names in the file are those that this toolkit's headers expect. */
static int write_c_file(int count, char **texts, const char *tool, const char *embedded, const char *container) {
  static const char no_code[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
  static const char first[] = "\".quad", end_of_data[] = "\".text\\n\"";
  const char *ptx = gasan_temporary_path("no_code.ptx");
  struct gasan_strings command = {0};
  gasan_file_write(ptx, no_code, sizeof no_code - 1);
  gasan_strings_push(&command, tool);
  for (int i = 0; i < count; i++)
    if (!gasan_strings_start(texts[i], "--image"))
      gasan_strings_push(&command, texts[i]);
  gasan_strings_push(&command, gasan_strings_format(IMAGE "ptx,sm=75,file=%s", ptx));
  int result = gasan_process_run_one(&command);
  if (result)
    return result;
  const char *text = (const char *)gasan_file_read(embedded).data;
  const char *start = strstr(text, first), *end = start ? strstr(start, end_of_data) : NULL;
  if (!end)
    gasan_message_fatal("'%s' has another form than this toolkit's fatbinary is known for, so there is no relocatable "
                        "device code; leave --front-end=nvcc out",
                        embedded);
  const char *changed =
      gasan_strings_format("%.*s%s%s", (int)(start - text), text, quads(gasan_file_read(container)), end);
  gasan_file_write(embedded, changed, strlen(changed));
  return 0;
}

int gasan_relocatable_embed(int count, char **texts, const struct gasan_paths *paths) {
  struct gasan_arguments arguments = gasan_relocatable_arguments();
  const char *cuda = gasan_paths_cuda(NULL), *embedded = NULL;
  struct gasan_toolchain toolchain = {.arguments = &arguments, .paths = *paths, .cuda = cuda};
  struct gasan_rdc_container container = {.optimisation = OPTIMISATION,
                                          .granule = arguments.options.granule,
                                          .mode = arguments.options.mode,
                                          .tags = arguments.options.tags};
  for (int i = 0; i < count; i++)
    if (gasan_strings_start(texts[i], EMBEDDED))
      embedded = texts[i] + strlen(EMBEDDED);
  int result = collect(count, texts, &toolchain, &container);
  if (result || !embedded)
    return result;
  if (!container.count)
    gasan_message_fatal("this toolkit's fatbinary has options in a form that gasan does not know, so there is no "
                        "relocatable device code; leave --front-end=nvcc out");
  const char *file = gasan_temporary_path("relocatable.gasanrdc");
  gasan_rdc_container_write(&container, file);
  return write_c_file(count, texts, gasan_paths_cuda_tool(cuda, "fatbinary"), embedded, file);
}

bool gasan_relocatable_has_inputs(const struct gasan_strings *options, const struct gasan_strings *objects) {
  struct gasan_strings texts = {0};
  for (size_t i = 0; i < options->count; i++)
    if (gasan_strings_start(options->items[i], "-l") || gasan_strings_start(options->items[i], "-L")) {
      gasan_strings_push(&texts, options->items[i]);
      if (strlen(options->items[i]) == 2 && i + 1 < options->count)
        gasan_strings_push(&texts, options->items[++i]);
    }
  gasan_strings_push_all(&texts, objects);
  struct gasan_arguments arguments = gasan_arguments_parse(&texts, /*cxx=*/true);
  struct gasan_link_objects links = {.paths = gasan_strings_allocate(arguments.count * sizeof *links.paths),
                                     .stems = gasan_strings_allocate(arguments.count * sizeof *links.stems)};
  return gasan_rdc_inputs_find(&arguments, &links).count > 0;
}
