/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/gpu_list.h"
#include "driver/message.h"
#include "driver/nvcc/lists.h"
#include "driver/paths.h"
#include "driver/toolkit.h"

#include <string.h>

static void choose(struct gasan_nvcc_gpus *gpus, const char *name) {
  if (!gasan_strings_contain(&gpus->chosen, name))
    gasan_strings_push(&gpus->chosen, name);
}

static void choose_all(struct gasan_nvcc_gpus *gpus, bool major) {
  struct gasan_strings all = gasan_toolkit_architectures(gasan_paths_cuda(NULL), major);
  for (size_t i = 0; i < all.count; i++)
    choose(gpus, gasan_strings_format("sm_%s", all.items[i]));
}

/* Adds an architecture. PTX and LTO code for an architecture become code for its GPU, because gasan's own files need a
 * GPU's number. */
static void add(struct gasan_nvcc_gpus *gpus, const char *name) {
  const char *number = strchr(name, '_');
  if (!strcmp(name, "native"))
    choose(gpus, name);
  else if (!strcmp(name, "all"))
    choose_all(gpus, /*major=*/false);
  else if (!strcmp(name, "all-major"))
    choose_all(gpus, /*major=*/true);
  else if (number && (gasan_strings_start(name, "sm_") || gasan_strings_start(name, "compute_") ||
                      gasan_strings_start(name, "lto_")))
    choose(gpus, gasan_strings_format("sm%s", number));
  else
    gasan_message_fatal("'%s' is no GPU architecture; name one as in -arch=sm_90, or native, all or all-major", name);
}

/* Returns the text without the brackets or quotes around it. */
static const char *inner(const char *text) {
  size_t length = strlen(text);
  if (length >= 2 && strchr("[\"'", *text) && strchr("]\"'", text[length - 1]))
    return gasan_strings_format("%.*s", (int)length - 2, text + 1);
  return text;
}

void gasan_nvcc_gpus_add_code(struct gasan_nvcc_gpus *gpus, const char *list) {
  struct gasan_strings names = gasan_strings_split(inner(list), ',');
  for (size_t i = 0; i < names.count; i++)
    add(gpus, names.items[i]);
}

void gasan_nvcc_gpus_generate(struct gasan_nvcc_gpus *gpus, const char *value) {
  value = inner(value);
  const char *code = strstr(value, "code="), *arch = strstr(value, "arch=");
  const bool code_is_first = code == value && arch && arch[-1] == ',';
  if (!code_is_first && (arch != value || (code && code[-1] != ',')))
    gasan_message_fatal("-gencode '%s' is not understood; write it as -gencode arch=compute_90,code=sm_90", value);
  if (code_is_first)
    gasan_nvcc_gpus_add_code(
        gpus, gasan_strings_format("%.*s", (int)(arch - 1 - value - strlen("code=")), value + strlen("code=")));
  else if (code)
    gasan_nvcc_gpus_add_code(gpus, code + strlen("code="));
  else
    add(gpus, value + strlen("arch="));
}

const char *gasan_nvcc_gpus_list(struct gasan_nvcc_gpus *gpus) {
  if (!gpus->chosen.count && gpus->architecture)
    add(gpus, gpus->architecture);
  return gpus->chosen.count ? gasan_strings_join(&gpus->chosen, ',') : NULL;
}
