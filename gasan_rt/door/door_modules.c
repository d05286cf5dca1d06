/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that the program loads. With instrument=on, code with checks goes to the driver in its place. If the driver
 * refuses that code, it gets the program's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/door/loaded_kernels.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/instrument/code_cache.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Returns the current device's architecture (90 is sm_90). A library may be loaded without a context: the first
 * device's then. */
static int architecture(void) {
  static struct gasan_driver_call current = {.symbol = "cuCtxGetDevice"}, get = {.symbol = "cuDeviceGetAttribute"};
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (GASAN_DRIVER_REAL(&current, cuCtxGetDevice)(&device) != CUDA_SUCCESS)
    device = 0;
  GASAN_DRIVER_REAL(&get, cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  GASAN_DRIVER_REAL(&get, cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return major * 10 + minor;
}

static void say_why(const char *api, const char *why) {
  if (gasan_verbosity() >= 1 && *why)
    gasan_rt_warn("%s: this code gets no checks, because %s", api, why);
}

/* Evaluates to the result of `real`, which names the code `image`; first with checked code in its place. `kept`: the
 * driver may read the code later (CU_LIBRARY_BINARY_IS_PRESERVED), so it is never freed. */
#define LOAD(image, kept, real)                                                                                        \
  ({                                                                                                                   \
    CUresult result_ = CUDA_ERROR_UNKNOWN;                                                                             \
    struct gasan_checked_code code_ = {0};                                                                             \
    if (image && gasan_checked_code_wanted()) {                                                                        \
      const void *own_ = image;                                                                                        \
      gasan_checked_code_make(own_, architecture(), false, &code_);                                                    \
      if (code_.data) {                                                                                                \
        image = code_.data;                                                                                            \
        result_ = (real);                                                                                              \
        image = own_;                                                                                                  \
        if (result_ != CUDA_SUCCESS)                                                                                   \
          snprintf(code_.why, sizeof code_.why, "the driver has refused its checked form (error %d)", result_);        \
      }                                                                                                                \
      say_why(call->api, code_.why);                                                                                   \
      if (!kept || result_ != CUDA_SUCCESS)                                                                            \
        free(code_.data);                                                                                              \
    }                                                                                                                  \
    result_ == CUDA_SUCCESS ? result_ : (real);                                                                        \
  })

CUresult gasan_door_call_module_load_data(struct gasan_driver_call *call, CUmodule *module, const void *image) {
  return LOAD(image, false, GASAN_DRIVER_REAL(call, cuModuleLoadData)(module, image));
}

CUresult gasan_door_call_module_load_data_ex(struct gasan_driver_call *call, CUmodule *module, const void *image,
                                             unsigned count, CUjit_option *options, void **values) {
  return LOAD(image, false, GASAN_DRIVER_REAL(call, cuModuleLoadDataEx)(module, image, count, options, values));
}

CUresult gasan_door_call_module_load_fat_binary(struct gasan_driver_call *call, CUmodule *module, const void *image) {
  return LOAD(image, false, GASAN_DRIVER_REAL(call, cuModuleLoadFatBinary)(module, image));
}

CUresult gasan_door_call_library_load_data(struct gasan_driver_call *call, CUlibrary *library, const void *image,
                                           CUjit_option *options, void **values, unsigned count,
                                           CUlibraryOption *library_options, void **library_values,
                                           unsigned library_count) {
  return LOAD(image, true,
              GASAN_DRIVER_REAL(call, cuLibraryLoadData)(library, image, options, values, count, library_options,
                                                         library_values, library_count));
}

/* Reads a file with code, and loads it as code in memory. */
CUresult gasan_door_call_module_load(struct gasan_driver_call *call, CUmodule *module, const char *name) {
  static struct gasan_driver_call load = {.api = "cuModuleLoad", .symbol = "cuModuleLoadData"};
  void *bytes;
  size_t size;
  if (!name || !gasan_checked_code_wanted() || !gasan_cache_read(name, &bytes, &size))
    return GASAN_DRIVER_REAL(call, cuModuleLoad)(module, name);
  struct gasan_checked_code code = {0};
  if (size >= 64) /* the headers of all forms */
    gasan_checked_code_make(bytes, architecture(), false, &code);
  CUresult result = code.data ? GASAN_DRIVER_REAL(&load, cuModuleLoadData)(module, code.data) : CUDA_ERROR_UNKNOWN;
  say_why(call->api, code.why);
  free(code.data);
  free(bytes);
  return result == CUDA_SUCCESS ? result : GASAN_DRIVER_REAL(call, cuModuleLoad)(module, name);
}

/* The links that have an object with checks. */
#define MOST_LINKS 64
static void *checked_links[MOST_LINKS]; /* a CUlinkState, or a handle of nvJitLink */
static pthread_mutex_t links_lock = PTHREAD_MUTEX_INITIALIZER;

/* Puts `to` in place of the first `from`. Returns false if there is none. */
static bool replace_link(void *from, void *to) {
  int i = 0;
  pthread_mutex_lock(&links_lock);
  while (i < MOST_LINKS && checked_links[i] != from)
    i++;
  if (i < MOST_LINKS)
    checked_links[i] = to;
  pthread_mutex_unlock(&links_lock);
  return i < MOST_LINKS;
}

/* Makes an object with checks for a link that has none yet: each object has its site table under the same name. Sets
 * *size. The caller frees the object. NULL: there is none. */
static void *object_for(const char *api, void *linker, const void *ptx, size_t size, size_t *object_size) {
  struct gasan_checked_code code = {0};
  if (replace_link(linker, linker)) {
    say_why(api, "another PTX of the same link has them");
    return NULL;
  }
  char *text = calloc(1, size + 1);
  if (text)
    gasan_checked_code_make(memcpy(text, ptx, size), architecture(), true, &code);
  free(text);
  if (code.data && memcmp(code.data, "\177ELF", 4) != 0) {
    snprintf(code.why, sizeof code.why, "there is no ptxas to make an object for the link");
    free(code.data);
    code.data = NULL;
  }
  say_why(api, code.why);
  *object_size = code.size;
  return code.data;
}

CUresult gasan_door_call_link_add_data(struct gasan_driver_call *call, CUlinkState linker, CUjitInputType type,
                                       void *data, size_t size, const char *name, unsigned count, CUjit_option *options,
                                       void **values) {
  size_t object_size = 0;
  void *object = type == CU_JIT_INPUT_PTX && data && linker && gasan_checked_code_wanted()
                     ? object_for(call->api, linker, data, size, &object_size)
                     : NULL;
  const bool added =
      object && GASAN_DRIVER_REAL(call, cuLinkAddData_v2)(linker, CU_JIT_INPUT_CUBIN, object, object_size, name, 0,
                                                          NULL, NULL) == CUDA_SUCCESS;
  free(object);
  if (added) {
    replace_link(NULL, linker);
    return CUDA_SUCCESS;
  }
  return GASAN_DRIVER_REAL(call, cuLinkAddData_v2)(linker, type, data, size, name, count, options, values);
}

CUresult gasan_door_call_link_destroy(struct gasan_driver_call *call, CUlinkState linker) {
  if (linker)
    replace_link(linker, NULL);
  return GASAN_DRIVER_REAL(call, cuLinkDestroy)(linker);
}

CUresult gasan_door_call_library_unload(struct gasan_driver_call *call, CUlibrary library) {
  static struct gasan_driver_call get = {.symbol = "cuLibraryGetModule"};
  CUmodule module = NULL;
  struct gasan_module *loaded = NULL;
  if (gasan_loaded_modules_exist() && GASAN_DRIVER_REAL(&get, cuLibraryGetModule)(&module, library) == CUDA_SUCCESS)
    loaded = gasan_loaded_module_before_unload(module);
  CUresult result = GASAN_DRIVER_REAL(call, cuLibraryUnload)(library);
  gasan_kernel_names_changed();
  gasan_loaded_module_unloaded(loaded);
  return result;
}

CUresult gasan_door_call_module_unload(struct gasan_driver_call *call, CUmodule module) {
  struct gasan_module *loaded = gasan_loaded_module_before_unload(module);
  CUresult result = GASAN_DRIVER_REAL(call, cuModuleUnload)(module);
  gasan_kernel_names_changed();
  gasan_loaded_module_unloaded(loaded);
  return result;
}

/* libgasan_preload.so calls it for programs that use NVRTC. */
GASAN_EXPORT void gasan_door_keep_ptx(const void *cubin, size_t size, const char *ptx);
GASAN_EXPORT void gasan_door_keep_ptx(const void *cubin, size_t size, const char *ptx) {
  gasan_checked_code_keep_ptx(cubin, size, ptx);
}

GASAN_EXPORT int gasan_door_instruments(void);
GASAN_EXPORT int gasan_door_instruments(void) {
  return gasan_checked_code_wanted();
}

/* libgasan_preload.so calls these for programs that link by nvJitLink. The link is taken to get the object. */
GASAN_EXPORT void *gasan_door_link_object(void *linker, const void *ptx, size_t size, size_t *object_size);
GASAN_EXPORT void *gasan_door_link_object(void *linker, const void *ptx, size_t size, size_t *object_size) {
  void *object = linker && gasan_door_serves() ? object_for("nvJitLinkAddData", linker, ptx, size, object_size) : NULL;
  if (object)
    replace_link(NULL, linker);
  return object;
}

GASAN_EXPORT void gasan_door_link_ended(void *linker);
GASAN_EXPORT void gasan_door_link_ended(void *linker) {
  if (linker)
    replace_link(linker, NULL);
}
