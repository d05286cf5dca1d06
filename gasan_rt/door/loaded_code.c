/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/door/loaded_code.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/warn.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/door/mixed_code.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_NAMES 4 /* in the line; with verbosity=1, all */

int gasan_loaded_code_architecture(void) {
  static struct gasan_driver_call current = {.symbol = "cuCtxGetDevice"}, get = {.symbol = "cuDeviceGetAttribute"};
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (GASAN_DRIVER_REAL(&current, cuCtxGetDevice)(&device) != CUDA_SUCCESS)
    device = 0;
  GASAN_DRIVER_REAL(&get, cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  GASAN_DRIVER_REAL(&get, cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return major * 10 + minor;
}

void gasan_loaded_code_say_why(const char *api, const char *why) {
  if (strcmp(why, GASAN_CODE_LTO_REASON) == 0)
    gasan_loaded_code_say_lto(api, why);
  else if (gasan_verbosity() >= 1 && *why)
    gasan_rt_warn("%s: this code gets no checks, because %s", api, why);
}

void gasan_loaded_code_say_lto(const char *api, const char *why) {
  static atomic_bool said;
  if (!atomic_exchange(&said, true))
    gasan_rt_warn("%s: this code gets no checks, because %s", api, why);
}

struct loaded {
  void *handle; /* a CUmodule or a CUlibrary */
  bool is_library, checked;
  struct loaded *next;
};
static struct loaded *loaded;
static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool said_kernels;

void gasan_loaded_code_add(void *handle, bool is_library, bool checked) {
  struct loaded *added = atomic_load(&said_kernels) ? NULL : malloc(sizeof *added);
  if (!added)
    return;
  pthread_mutex_lock(&code_lock);
  *added = (struct loaded){.handle = handle, .is_library = is_library, .checked = checked, .next = loaded};
  loaded = added;
  pthread_mutex_unlock(&code_lock);
}

void gasan_loaded_code_remove(void *handle) {
  pthread_mutex_lock(&code_lock);
  struct loaded **place = &loaded;
  while (*place && (*place)->handle != handle)
    place = &(*place)->next;
  struct loaded *found = *place;
  if (found)
    *place = found->next;
  pthread_mutex_unlock(&code_lock);
  free(found);
}

/* Kernels of one kind, for the line. */
struct kernels {
  unsigned count, named;
  unsigned unknown; /* modules whose kernels the driver cannot count (before CUDA 12.4) */
  char names[600];  /* room for MOST_NAMES */
};

/* Variants of a kernel are no kernels of the program's. */
static bool is_variant(const char *name) {
  return strncmp(name, "__gasan_", strlen("__gasan_")) == 0;
}

static void add_name(struct kernels *kernels, const char *symbol, bool checked) {
  char name[128];
  gasan_demangle(symbol, name, sizeof name);
  kernels->count++;
  if (gasan_verbosity() >= 1)
    gasan_rt_warn("kernel %s %s", name, checked ? "has checks" : "has guards only");
  const size_t used = strlen(kernels->names), most = sizeof kernels->names;
  if (kernels->named == MOST_NAMES)
    return;
  snprintf(kernels->names + used, most - used, "%s%s", used ? ", " : "", name);
  kernels->named++;
}

/* Asks the driver for the kernels of a module. Returns false if the driver cannot tell. */
static bool add_kernels(const struct loaded *code, struct kernels kinds[2]) {
  static struct gasan_driver_call count_in_module = {.symbol = "cuModuleGetFunctionCount"},
                                  count_in_library = {.symbol = "cuLibraryGetKernelCount"},
                                  list_of_module = {.symbol = "cuModuleEnumerateFunctions"},
                                  list_of_library = {.symbol = "cuLibraryEnumerateKernels"};
  unsigned count = 0;
  struct kernels *kernels = &kinds[code->checked];
  const CUresult counted = code->is_library
                               ? GASAN_DRIVER_REAL(&count_in_library, cuLibraryGetKernelCount)(&count, code->handle)
                               : GASAN_DRIVER_REAL(&count_in_module, cuModuleGetFunctionCount)(&count, code->handle);
  void **list = counted == CUDA_SUCCESS ? calloc(count + 1, sizeof *list) : NULL;
  const CUresult listed =
      !list ? CUDA_ERROR_OUT_OF_MEMORY
      : code->is_library
          ? GASAN_DRIVER_REAL(&list_of_library, cuLibraryEnumerateKernels)((CUkernel *)list, count, code->handle)
          : GASAN_DRIVER_REAL(&list_of_module, cuModuleEnumerateFunctions)((CUfunction *)list, count, code->handle);
  for (unsigned i = 0; listed == CUDA_SUCCESS && i < count; i++) {
    if (!code->checked && kernels->named == MOST_NAMES && gasan_verbosity() < 1) { /* a library may have thousands */
      kernels->count += count - i;
      break;
    }
    const char *name = gasan_kernel_name(list[i]);
    const bool checked = code->checked && name && !gasan_mixed_code_has(name);
    if (name && !is_variant(name))
      add_name(&kinds[checked], name, checked);
  }
  free(list);
  return listed == CUDA_SUCCESS;
}

static void append_kernels(char *text, size_t size, const struct kernels *kernels, const char *words) {
  const size_t used = strlen(text);
  char more[48] = "";
  if (kernels->count > kernels->named && kernels->named)
    snprintf(more, sizeof more, " and %u more", kernels->count - kernels->named);
  snprintf(text + used, size - used, "%s%u %s%s%s%s%s", used ? ", " : "", kernels->count, words,
           kernels->named ? " (" : "", kernels->names, more, kernels->named ? ")" : "");
}

void gasan_loaded_code_say_kernels(void) {
  struct kernels kinds[2] = {{0}, {0}}; /* with guards only; with checks */
  if (atomic_load(&said_kernels) || atomic_exchange(&said_kernels, true) || !gasan_options()->print_unguarded)
    return;
  pthread_mutex_lock(&code_lock);
  struct loaded *code = loaded;
  loaded = NULL;
  pthread_mutex_unlock(&code_lock);
  while (code) {
    struct loaded *next = code->next;
    kinds[code->checked].unknown += !add_kernels(code, kinds);
    free(code);
    code = next;
  }
  char text[1600] = "";
  append_kernels(text, sizeof text, &kinds[1], "with checks");
  append_kernels(text, sizeof text, &kinds[0], "with guards only");
  if (kinds[0].unknown + kinds[1].unknown)
    snprintf(text + strlen(text), sizeof text - strlen(text), ", those of %u modules are not counted (CUDA 12.4 can)",
             kinds[0].unknown + kinds[1].unknown);
  gasan_rt_warn("kernels that are loaded so far: %s", text);
}
