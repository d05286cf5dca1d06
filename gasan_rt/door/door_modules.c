/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that the program loads. With instrument=on, code with checks goes to the driver in its place. If the driver
 * refuses that code, it gets the program's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/door/loaded_code.h"
#include "gasan_rt/door/loaded_kernels.h"
#include "gasan_rt/door/mixed_code.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/instrument/code_cache.h"
#include "gasan_rt/instrument/embedded_code.h"

/* Evaluates to the result of `real`, which names the code `image`; first with checked code in its place. `handle`: a
 * pointer to the CUmodule or CUlibrary. The driver may read the code of a library later
 * (CU_LIBRARY_BINARY_IS_PRESERVED), so that code is never freed. */
#define LOAD(image, handle, is_library, real)                                                                          \
  ({                                                                                                                   \
    CUresult result_ = CUDA_ERROR_UNKNOWN;                                                                             \
    if (!image || !gasan_checked_code_wanted()) {                                                                      \
      result_ = (real);                                                                                                \
    } else {                                                                                                           \
      struct gasan_checked_code code_;                                                                                 \
      const void *own_ = image;                                                                                        \
      make_code(own_, &code_);                                                                                         \
      if (code_.data) {                                                                                                \
        image = code_.data;                                                                                            \
        result_ = (real);                                                                                              \
        image = own_;                                                                                                  \
        if (result_ != CUDA_SUCCESS)                                                                                   \
          snprintf(code_.why, sizeof code_.why, "the driver has refused its checked form (error %d)", result_);        \
      }                                                                                                                \
      gasan_loaded_code_say_why(call->api, code_.why);                                                                 \
      if (!code_.data && !code_.why[0])                                                                                \
        gasan_mixed_code_note(call->api, own_);                                                                        \
      if (!is_library || result_ != CUDA_SUCCESS)                                                                      \
        free(code_.data);                                                                                              \
      if (result_ != CUDA_SUCCESS)                                                                                     \
        result_ = (real);                                                                                              \
      if (result_ == CUDA_SUCCESS && handle)                                                                           \
        gasan_loaded_code_add(*(handle), is_library, !code_.why[0]);                                                   \
    }                                                                                                                  \
    result_;                                                                                                           \
  })

/* Makes the code, and starts the work for more code that the program will probably load. */
static void make_code(const void *image, struct gasan_checked_code *code) {
  const int architecture = gasan_loaded_code_architecture();
  size_t count;
  gasan_embedded_code_expect(image, architecture);
  struct gasan_code_image *objects = gasan_embedded_code_objects(image, architecture, &count);
  if (objects)
    gasan_checked_code_make_linked(objects, count, architecture, false, code);
  else
    gasan_checked_code_make(image, architecture, code);
  free(objects);
}

CUresult gasan_door_call_module_load_data(struct gasan_driver_call *call, CUmodule *module, const void *image) {
  return LOAD(image, module, false, GASAN_DRIVER_REAL(call, cuModuleLoadData)(module, image));
}

CUresult gasan_door_call_module_load_data_ex(struct gasan_driver_call *call, CUmodule *module, const void *image,
                                             unsigned count, CUjit_option *options, void **values) {
  return LOAD(image, module, false, GASAN_DRIVER_REAL(call, cuModuleLoadDataEx)(module, image, count, options, values));
}

CUresult gasan_door_call_module_load_fat_binary(struct gasan_driver_call *call, CUmodule *module, const void *image) {
  return LOAD(image, module, false, GASAN_DRIVER_REAL(call, cuModuleLoadFatBinary)(module, image));
}

CUresult gasan_door_call_library_load_data(struct gasan_driver_call *call, CUlibrary *library, const void *image,
                                           CUjit_option *options, void **values, unsigned count,
                                           CUlibraryOption *library_options, void **library_values,
                                           unsigned library_count) {
  return LOAD(image, library, true,
              GASAN_DRIVER_REAL(call, cuLibraryLoadData)(library, image, options, values, count, library_options,
                                                         library_values, library_count));
}

/* Makes the code of a file. Returns false if the file cannot be read; the driver says why. */
static bool make_code_of_file(const char *api, const char *name, struct gasan_checked_code *code) {
  void *bytes;
  size_t size;
  *code = (struct gasan_checked_code){0};
  if (!name || !gasan_checked_code_wanted() || !gasan_cache_read(name, &bytes, &size))
    return false;
  const struct gasan_code_image image = gasan_code_image_in(bytes, size); /* the file may be cut off */
  if (image.form == GASAN_CODE_UNKNOWN)
    snprintf(code->why, sizeof code->why, "it is in a form that gasan does not know");
  else
    gasan_checked_code_make(bytes, gasan_loaded_code_architecture(), code);
  if (!code->data && !code->why[0])
    gasan_mixed_code_note(api, bytes);
  free(bytes);
  return true;
}

/* Notes what the driver has made of checked code. */
static void end_load(const char *api, CUresult result, struct gasan_checked_code *code) {
  if (code->data && result != CUDA_SUCCESS)
    snprintf(code->why, sizeof code->why, "the driver has refused its checked form (error %d)", result);
  gasan_loaded_code_say_why(api, code->why);
}

CUresult gasan_door_call_module_load(struct gasan_driver_call *call, CUmodule *module, const char *name) {
  static struct gasan_driver_call load = {.api = "cuModuleLoad", .symbol = "cuModuleLoadData"};
  struct gasan_checked_code code;
  if (!make_code_of_file(call->api, name, &code))
    return GASAN_DRIVER_REAL(call, cuModuleLoad)(module, name);
  CUresult result = code.data ? GASAN_DRIVER_REAL(&load, cuModuleLoadData)(module, code.data) : CUDA_ERROR_UNKNOWN;
  end_load(call->api, result, &code);
  free(code.data);
  if (result != CUDA_SUCCESS)
    result = GASAN_DRIVER_REAL(call, cuModuleLoad)(module, name);
  if (result == CUDA_SUCCESS && module)
    gasan_loaded_code_add(*module, false, !code.why[0]);
  return result;
}

CUresult gasan_door_call_library_load_from_file(struct gasan_driver_call *call, CUlibrary *library, const char *name,
                                                CUjit_option *options, void **values, unsigned count,
                                                CUlibraryOption *library_options, void **library_values,
                                                unsigned library_count) {
  static struct gasan_driver_call load = {.api = "cuLibraryLoadFromFile", .symbol = "cuLibraryLoadData"};
  struct gasan_checked_code code;
  const bool made = make_code_of_file(call->api, name, &code);
  CUresult result = code.data
                        ? GASAN_DRIVER_REAL(&load, cuLibraryLoadData)(library, code.data, options, values, count,
                                                                      library_options, library_values, library_count)
                        : CUDA_ERROR_UNKNOWN;
  if (made)
    end_load(call->api, result, &code);
  if (result != CUDA_SUCCESS) {
    free(code.data); /* else the driver may read it later */
    result = GASAN_DRIVER_REAL(call, cuLibraryLoadFromFile)(library, name, options, values, count, library_options,
                                                            library_values, library_count);
  }
  if (made && result == CUDA_SUCCESS && library)
    gasan_loaded_code_add(*library, true, !code.why[0]);
  return result;
}

CUresult gasan_door_call_library_unload(struct gasan_driver_call *call, CUlibrary library) {
  static struct gasan_driver_call get = {.symbol = "cuLibraryGetModule"};
  CUmodule module = NULL;
  struct gasan_module *loaded = NULL;
  if (gasan_loaded_modules_exist() && GASAN_DRIVER_REAL(&get, cuLibraryGetModule)(&module, library) == CUDA_SUCCESS)
    loaded = gasan_loaded_module_before_unload(module);
  gasan_loaded_code_remove(library);
  CUresult result = GASAN_DRIVER_REAL(call, cuLibraryUnload)(library);
  gasan_kernel_names_changed();
  gasan_loaded_module_unloaded(loaded);
  return result;
}

CUresult gasan_door_call_module_unload(struct gasan_driver_call *call, CUmodule module) {
  struct gasan_module *loaded = gasan_loaded_module_before_unload(module);
  gasan_loaded_code_remove(module);
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
