/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdbool.h>

#include "gasan_rt/door/loaded_kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/abi.h"
#include "base/map.h"
#include "device/cuda/cuda.h"
#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/door/kernel_names.h"
#include "gasan_rt/door/loaded_code.h"
#include "gasan_rt/door/mixed_code.h"
#include "gasan_rt/instrument/checked_code.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/stats.h"

/* A handle that the driver was asked about. */
struct known {
  struct gasan_map_entry by_function;
  _Atomic bool checked;
  _Atomic unsigned generation; /* of `unloads` when the driver was asked; 0: not yet */
};
GASAN_MAP(known, 10);
static _Atomic unsigned unloads = 1;
static _Atomic bool any;
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult module_of(CUfunction function, CUmodule *module) {
  static struct gasan_driver_call of_function = {.symbol = "cuFuncGetModule"},
                                  of_kernel = {.symbol = "cuKernelGetFunction"};
  CUresult result = GASAN_DRIVER_REAL(&of_function, cuFuncGetModule)(module, function);
  if (result != CUDA_SUCCESS &&
      GASAN_DRIVER_REAL(&of_kernel, cuKernelGetFunction)(&function, (CUkernel)function) == CUDA_SUCCESS)
    result = GASAN_DRIVER_REAL(&of_function, cuFuncGetModule)(module, function);
  return result;
}

/* Asks the driver, and registers a kernel with checks. */
static bool ask(CUfunction function) {
  static struct gasan_driver_call global = {.symbol = "cuModuleGetGlobal_v2"};
  CUmodule module;
  CUdeviceptr address;
  size_t size;
  if (!function || module_of(function, &module) != CUDA_SUCCESS ||
      GASAN_DRIVER_REAL(&global, cuModuleGetGlobal_v2)(&address, &size, module, GASAN_PARAMS_SYMBOL) != CUDA_SUCCESS)
    return false;
  const char *name = gasan_kernel_name(function);
  struct gasan_module *loaded = gasan_registry_add_loaded(module);
  if (!gasan_registry_kernel(function))
    gasan_registry_add_kernel(loaded, (const char *)function, NULL, name ? name : "a kernel", 0);
  any = true;
  return true;
}

static struct known *find_known(CUfunction function) {
  return GASAN_MAP_OWNER(gasan_map_find(&known, (uintptr_t)function), struct known, by_function);
}

bool gasan_loaded_kernel_is_checked(CUfunction function) {
  if (!gasan_checked_code_wanted()) /* the pool has no tables for checks */
    return false;
  struct known *entry = find_known(function);
  const unsigned now = unloads;
  if (entry && entry->generation == now)
    return entry->checked;
  gasan_loaded_code_say_kernels();
  const bool checked = ask(function), is_new = !entry;
  if (!entry && (entry = calloc(1, sizeof *entry))) {
    pthread_mutex_lock(&kernels_lock);
    gasan_map_insert(&known, &entry->by_function, (uintptr_t)function);
    pthread_mutex_unlock(&kernels_lock);
  }
  const char *name = is_new && checked ? gasan_kernel_name(function) : NULL;
  if (is_new)
    gasan_stats_count_kernel(checked && !(name && gasan_mixed_code_has(name)));
  if (entry) {
    entry->checked = checked;
    entry->generation = now;
  }
  return checked;
}

struct gasan_module *gasan_loaded_module_before_unload(CUmodule module) {
  struct gasan_module *loaded = any ? gasan_registry_loaded(module) : NULL;
  if (loaded)
    gasan_faults_before_unload(loaded);
  return loaded;
}

/* The driver may give the handles again. */
void gasan_loaded_module_unloaded(struct gasan_module *module) {
  if (module)
    gasan_registry_remove(module);
  unloads++;
}

bool gasan_loaded_modules_exist(void) {
  return any;
}
