/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/door/door_links.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/loaded_code.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/instrument/code_cache.h"

struct gasan_link {
  void *linker; /* a CUlinkState, or a handle of nvJitLink */
  struct gasan_link_input *inputs;
  size_t count;
  struct gasan_link *next;
};
static struct gasan_link *links;
static pthread_mutex_t links_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the link's entry, and makes one if there is none. Needs the lock. */
static struct gasan_link *find_link(void *linker) {
  struct gasan_link *link = links;
  while (link && link->linker != linker)
    link = link->next;
  if (!link && (link = calloc(1, sizeof *link))) {
    *link = (struct gasan_link){.linker = linker, .next = links};
    links = link;
  }
  return link;
}

static bool add_input(void *linker, const struct gasan_link_input *input) {
  bool added = false;
  pthread_mutex_lock(&links_lock);
  struct gasan_link *link = find_link(linker);
  struct gasan_link_input *inputs = link ? realloc(link->inputs, (link->count + 1) * sizeof *inputs) : NULL;
  if (inputs) {
    link->inputs = inputs;
    inputs[link->count++] = *input;
    added = true;
  }
  pthread_mutex_unlock(&links_lock);
  return added;
}

bool gasan_link_keep(void *linker, const struct gasan_link_input *input, char why[GASAN_WHY]) {
  snprintf(why, GASAN_WHY, "there is no memory");
  if (!linker || !input->data || !gasan_checked_code_wanted())
    return false;
  char *data = calloc(1, input->size + 1), *name = strdup(input->name ? input->name : "");
  struct gasan_link_input kept = *input;
  if (data && name) {
    memcpy(data, input->data, input->size);
    kept.data = data;
    kept.name = name;
    const struct gasan_code_image image = gasan_code_image_in(data, input->size);
    if (gasan_checked_code_is_possible(&image, gasan_loaded_code_architecture(), why) && add_input(linker, &kept))
      return true;
  }
  free(data);
  free(name);
  return false;
}

struct gasan_link *gasan_link_take(void *linker) {
  pthread_mutex_lock(&links_lock);
  struct gasan_link **place = &links;
  while (*place && (*place)->linker != linker)
    place = &(*place)->next;
  struct gasan_link *link = *place;
  if (link)
    *place = link->next;
  pthread_mutex_unlock(&links_lock);
  return link;
}

void *gasan_link_object(struct gasan_link *link, const char *api, size_t *size) {
  struct gasan_checked_code code = {0};
  struct gasan_code_image *images = calloc(link->count, sizeof *images);
  for (size_t i = 0; images && i < link->count; i++)
    images[i] = gasan_code_image_in(link->inputs[i].data, link->inputs[i].size);
  if (images)
    gasan_checked_code_make_linked(images, link->count, gasan_loaded_code_architecture(), true, &code);
  free(images);
  if (code.data && memcmp(code.data, "\177ELF", 4) != 0) {
    snprintf(code.why, sizeof code.why, "there is no ptxas to make an object for the link");
    free(code.data);
    code.data = NULL;
  }
  gasan_loaded_code_say_why(api, code.why);
  *size = code.size;
  return code.data;
}

const struct gasan_link_input *gasan_link_input(const struct gasan_link *link, size_t index) {
  return index < link->count ? &link->inputs[index] : NULL;
}

void gasan_link_free(struct gasan_link *link) {
  if (!link)
    return;
  for (size_t i = 0; i < link->count; i++) {
    free((void *)link->inputs[i].data);
    free((void *)link->inputs[i].name);
    free(link->inputs[i].options);
  }
  free(link->inputs);
  free(link);
}

/* The options of one input, for the case that the driver gets the program's PTX after all. */
#define MOST_OPTIONS 16
struct options {
  unsigned count;
  CUjit_option names[MOST_OPTIONS];
  void *values[MOST_OPTIONS];
};

/* Copies numbers. Buffers for messages are the program's, and may be gone when the link is completed. */
static struct options *copy_options(unsigned count, const CUjit_option *names, void *const *values) {
  struct options *copy = calloc(1, sizeof *copy);
  for (unsigned i = 0; copy && names && values && i < count && copy->count < MOST_OPTIONS; i++)
    switch (names[i]) {
    case CU_JIT_MAX_REGISTERS:
    case CU_JIT_OPTIMIZATION_LEVEL:
    case CU_JIT_TARGET:
    case CU_JIT_FALLBACK_STRATEGY:
    case CU_JIT_GENERATE_DEBUG_INFO:
    case CU_JIT_GENERATE_LINE_INFO:
    case CU_JIT_CACHE_MODE:
      copy->names[copy->count] = names[i];
      copy->values[copy->count++] = values[i];
      break;
    default:
      break;
    }
  return copy;
}

/* Keeps an input, or says why it cannot have checks. */
static bool keep(const char *api, CUlinkState linker, CUjitInputType type, const void *data, size_t size,
                 const char *name, struct options *options) {
  const struct gasan_link_input input = {.type = type, .data = data, .size = size, .name = name, .options = options};
  char why[GASAN_WHY] = "host objects and libraries are linked as they are";
  const bool kept = type <= CU_JIT_INPUT_FATBINARY && gasan_link_keep(linker, &input, why);
  if (type == CU_JIT_INPUT_NVVM)
    gasan_loaded_code_say_lto(api, GASAN_CODE_LTO_REASON);
  else if (!kept)
    gasan_loaded_code_say_why(api, why);
  if (!kept)
    free(options);
  return kept;
}

CUresult gasan_door_call_link_add_data(struct gasan_driver_call *call, CUlinkState linker, CUjitInputType type,
                                       void *data, size_t size, const char *name, unsigned count, CUjit_option *options,
                                       void **values) {
  if (gasan_checked_code_wanted() &&
      keep(call->api, linker, type, data, size, name, copy_options(count, options, values)))
    return CUDA_SUCCESS;
  return GASAN_DRIVER_REAL(call, cuLinkAddData_v2)(linker, type, data, size, name, count, options, values);
}

CUresult gasan_door_call_link_add_file(struct gasan_driver_call *call, CUlinkState linker, CUjitInputType type,
                                       const char *path, unsigned count, CUjit_option *options, void **values) {
  void *data;
  size_t size;
  if (path && gasan_checked_code_wanted() && gasan_cache_read(path, &data, &size)) {
    const bool kept = keep(call->api, linker, type, data, size, path, copy_options(count, options, values));
    free(data);
    if (kept)
      return CUDA_SUCCESS;
  }
  return GASAN_DRIVER_REAL(call, cuLinkAddFile_v2)(linker, type, path, count, options, values);
}

/* Adds the object, or the program's inputs if there is no object. */
static CUresult add_kept(CUlinkState linker, const char *api) {
  static struct gasan_driver_call add = {.api = "cuLinkAddData", .symbol = "cuLinkAddData_v2"};
  struct gasan_link *link = gasan_link_take(linker);
  const struct gasan_link_input *input;
  size_t size = 0;
  if (!link)
    return CUDA_SUCCESS;
  void *object = gasan_link_object(link, api, &size);
  CUresult result = object ? GASAN_DRIVER_REAL(&add, cuLinkAddData_v2)(linker, CU_JIT_INPUT_CUBIN, object, size,
                                                                       "checked", 0, NULL, NULL)
                           : CUDA_ERROR_UNKNOWN;
  if (object && result != CUDA_SUCCESS)
    gasan_loaded_code_say_why(api, "the driver has refused its checked form");
  free(object);
  if (result != CUDA_SUCCESS) {
    result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && (input = gasan_link_input(link, i)); i++) {
      struct options none = {0}, *options = input->options ? input->options : &none;
      result = GASAN_DRIVER_REAL(&add, cuLinkAddData_v2)(linker, input->type, (void *)input->data, input->size,
                                                         input->name, options->count, options->names, options->values);
    }
  }
  gasan_link_free(link);
  return result;
}

CUresult gasan_door_call_link_complete(struct gasan_driver_call *call, CUlinkState linker, void **cubin, size_t *size) {
  const CUresult added = add_kept(linker, call->api);
  return added == CUDA_SUCCESS ? GASAN_DRIVER_REAL(call, cuLinkComplete)(linker, cubin, size) : added;
}

CUresult gasan_door_call_link_destroy(struct gasan_driver_call *call, CUlinkState linker) {
  gasan_link_free(gasan_link_take(linker));
  return GASAN_DRIVER_REAL(call, cuLinkDestroy)(linker);
}

/* libgasan_preload.so calls these for programs that link by nvJitLink (gasan_preload/nvjitlink.c). */
GASAN_EXPORT int gasan_door_link_keep(void *linker, int type, const void *data, size_t size, const char *name);
GASAN_EXPORT int gasan_door_link_keep(void *linker, int type, const void *data, size_t size, const char *name) {
  char why[GASAN_WHY];
  if (!gasan_door_serves())
    return 0;
  const bool kept = gasan_link_keep(linker, &(struct gasan_link_input){type, data, size, name, NULL}, why);
  if (!kept && gasan_checked_code_wanted())
    gasan_loaded_code_say_why("nvJitLinkAddData", why);
  return kept;
}

GASAN_EXPORT void *gasan_door_link_take(void *linker);
GASAN_EXPORT void *gasan_door_link_take(void *linker) {
  return gasan_link_take(linker);
}

GASAN_EXPORT void *gasan_door_link_object(void *link, size_t *size);
GASAN_EXPORT void *gasan_door_link_object(void *link, size_t *size) {
  return gasan_link_object(link, "nvJitLinkComplete", size);
}

GASAN_EXPORT const void *gasan_door_link_input(void *link, size_t index, int *type, size_t *size, const char **name);
GASAN_EXPORT const void *gasan_door_link_input(void *link, size_t index, int *type, size_t *size, const char **name) {
  const struct gasan_link_input *input = gasan_link_input(link, index);
  if (!input)
    return NULL;
  *type = input->type;
  *size = input->size;
  *name = input->name;
  return input->data;
}

GASAN_EXPORT void gasan_door_link_free(void *link);
GASAN_EXPORT void gasan_door_link_free(void *link) {
  gasan_link_free(link);
}

/* Returns a cubin with checks of all PTX of a link with LTO-IR: that which nvJitLink has made of LTO-IR, and other PTX.
 * NULL: there is none. The caller frees the cubin. */
GASAN_EXPORT void *gasan_door_link_checked_ptx(const char *const *ptx, size_t count, size_t *size);
GASAN_EXPORT void *gasan_door_link_checked_ptx(const char *const *ptx, size_t count, size_t *size) {
  struct gasan_checked_code code = {0};
  struct gasan_code_image *images = gasan_door_serves() ? calloc(count, sizeof *images) : NULL;
  for (size_t i = 0; images && i < count; i++)
    images[i] = gasan_code_image_at(ptx[i]);
  if (!images)
    return NULL;
  gasan_checked_code_make_linked(images, count, gasan_loaded_code_architecture(), false, &code);
  free(images);
  if (code.data && memcmp(code.data, "\177ELF", 4) != 0) {
    snprintf(code.why, sizeof code.why, "there is no ptxas to make a cubin");
    free(code.data);
    code.data = NULL;
  }
  gasan_loaded_code_say_why("nvJitLinkComplete", code.why);
  *size = code.size;
  return code.data;
}

/* Says once why a link of LTO-IR gets no checks. */
GASAN_EXPORT void gasan_door_link_say(const char *why);
GASAN_EXPORT void gasan_door_link_say(const char *why) {
  if (gasan_door_serves())
    gasan_loaded_code_say_lto("nvJitLinkComplete", why);
}
