/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/spellings.h"
#include "driver/nvcc/command_line.h"

#include <string.h>

/* Names without dashes. clang has no options of these names. */
static const char *const names[] = {"expt-relaxed-constexpr",
                                    "extended-lambda",
                                    "expt-extended-lambda",
                                    "generate-line-info",
                                    "lineinfo",
                                    "use_fast_math",
                                    "ptxas-options",
                                    "Xptxas",
                                    "maxrregcount",
                                    "gpu-architecture",
                                    "arch",
                                    "generate-code",
                                    "gencode",
                                    "compiler-options",
                                    "Xcompiler",
                                    "fatbin-options",
                                    "Xfatbin",
                                    "cudafe-options",
                                    "Xcudafe",
                                    "diag-suppress",
                                    "relocatable-device-code",
                                    "rdc",
                                    "device-c",
                                    "dc",
                                    "default-stream",
                                    "threads",
                                    "compress-mode",
                                    "display-error-number",
                                    NULL};

static bool is_nvccs(const char *text) {
  if (*text != '-')
    return false;
  text += gasan_strings_start(text, "--") ? 2 : 1;
  return gasan_strings_is_one_of(gasan_strings_format("%.*s", (int)strcspn(text, "="), text), names);
}

/* Returns true for an option of clang that passes the next word on to another tool. */
static bool passes_next_on(const char *text) {
  return gasan_strings_start(text, "-X") || !strcmp(text, "-mllvm");
}

static bool has_checks(const struct gasan_strings *arguments) {
  bool has = false;
  for (size_t i = 0; i < arguments->count; i++)
    has |= gasan_strings_start(arguments->items[i], "-fsanitize=") && strstr(arguments->items[i], "gpu-address");
  return has;
}

static void push_translated(const struct gasan_strings *options, struct gasan_strings *arguments) {
  struct gasan_nvcc_line line = gasan_nvcc_read(options);
  const char *gpus = gasan_nvcc_gpus_list(&line.gpus);
  gasan_strings_push_all(arguments, &line.clang);
  if (gpus)
    gasan_strings_push(arguments, gasan_strings_format("--offload-arch=%s", gpus));
  if (line.rdc)
    gasan_strings_push(arguments, "-fgpu-rdc");
  if (line.phase == GASAN_NVCC_COMPILE)
    gasan_strings_push(arguments, "-c");
}

struct gasan_strings gasan_nvcc_spellings_translate(const struct gasan_strings *arguments) {
  struct gasan_strings all = {0}, options = {0};
  if (!has_checks(arguments))
    return *arguments;
  for (size_t i = 0; i < arguments->count; i++) {
    const char *text = arguments->items[i];
    if (!is_nvccs(text)) {
      gasan_strings_push(&all, text);
      if (passes_next_on(text) && i + 1 < arguments->count)
        gasan_strings_push(&all, arguments->items[++i]);
      continue;
    }
    gasan_strings_push(&options, text);
    if (gasan_nvcc_takes_value(text) && i + 1 < arguments->count)
      gasan_strings_push(&options, arguments->items[++i]);
  }
  if (options.count)
    push_translated(&options, &all);
  return all;
}
