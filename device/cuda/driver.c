/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the driver (libcuda.so.1) and the real CUDA runtime (libcudart.so.13 or libcudart.so.12). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "device/cuda/cuda.h"
#include "device/cuda/gpu.h"
#include "device/cuda/runtime12.h"

struct gasan_cuda_driver gasan_cuda_driver;
struct gasan_cuda_runtime gasan_cuda_runtime;
static void *runtime_library;
static bool is_runtime12;
static char missing[512];

/* There are two macros, so that cuda.h's renaming (cuMemAlloc -> cuMemAlloc_v2) is expanded before the name becomes a
 * string. */
#define SYMBOL_NAME(function) #function
#define SYMBOL(library, function) dlsym(library, SYMBOL_NAME(function))

static void *open_driver(void) {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

void *gasan_cuda_driver_symbol(const char *symbol) {
  void *library = open_driver();
  return library ? dlsym(library, symbol) : NULL;
}

bool gasan_cuda_load_driver(const char **why) {
  void *library = open_driver();
  if (!library) {
    *why = "there is no NVIDIA driver (libcuda.so.1)";
    return false;
  }
#define GASAN_DRIVER(function)                                                                                         \
  *(void **)&gasan_cuda_driver.function = SYMBOL(library, function);                                                   \
  if (!gasan_cuda_driver.function) {                                                                                   \
    *why = "the NVIDIA driver is too old: it lacks " SYMBOL_NAME(function);                                            \
    return false;                                                                                                      \
  }
#include "device/cuda/driver.inc"
#undef GASAN_DRIVER
  return true;
}

static void *open_runtime_in(const char *folder, const char *below, const char *name) {
  char path[4096];
  if (!folder || !folder[0])
    return NULL;
  int length = snprintf(path, sizeof path, "%s%s/%s", folder, below, name);
  return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *find_runtime(const char *name) {
  static const char *const below[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib"};
  const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", GASAN_CUDA_PATH};
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  for (size_t f = 0; !library && f < sizeof folders / sizeof *folders; f++)
    for (size_t b = 0; !library && b < sizeof below / sizeof *below; b++)
      library = open_runtime_in(folders[f], below[b], name);
  return library;
}

/* Returns true if CUDA 12's runtime is the better choice: the process has only that one, as a program for CUDA 12 does
 * that another linker made; or the driver is too old for CUDA 13. */
static bool prefers_runtime12(void) {
  int version = 0;
  int (*get_version)(int *) = (int (*)(int *))gasan_cuda_driver_symbol("cuDriverGetVersion");
  bool has13 = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD) != NULL;
  bool has12 = dlopen("libcudart.so.12", RTLD_NOW | RTLD_NOLOAD) != NULL;
  return (has12 && !has13) || (get_version && get_version(&version) == 0 && version < 13000);
}

/* Opens the real libcudart. Our library defines the same names. libcudart has no relocations against these names, so
 * its calls to itself do not reach our functions. */
static void *open_runtime(const char *chosen) {
  if (chosen && chosen[0])
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  bool first12 = prefers_runtime12();
  void *library = find_runtime(first12 ? "libcudart.so.12" : "libcudart.so.13");
  return library ? library : find_runtime(first12 ? "libcudart.so.13" : "libcudart.so.12");
}

static const char *chosen_runtime = "";
static bool driver_only;
static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

void gasan_cuda_set_runtime(const char *path) {
  chosen_runtime = path;
}

static bool open_and_resolve(const char **why) {
  runtime_library = open_runtime(chosen_runtime);
  if (!runtime_library) {
    snprintf(missing, sizeof missing,
             "the CUDA runtime library was not found (%s); set GASAN_OPTIONS=cudart=/path/to/libcudart.so.13, or .12",
             chosen_runtime[0] ? chosen_runtime : "libcudart.so.13 or libcudart.so.12");
    *why = missing;
    return false;
  }
  *(void **)&gasan_cuda_runtime.cudaGetDevice = dlsym(runtime_library, "cudaGetDevice");
  *(void **)&gasan_cuda_runtime.cudaGetFuncBySymbol = dlsym(runtime_library, "cudaGetFuncBySymbol");
  *(void **)&gasan_cuda_runtime.cudaGetKernel = dlsym(runtime_library, "cudaGetKernel");
  *(void **)&gasan_cuda_runtime.cudaPeekAtLastError = dlsym(runtime_library, "cudaPeekAtLastError");
  *(void **)&gasan_cuda_runtime.cudaGetLastError = dlsym(runtime_library, "cudaGetLastError");
  if (!gasan_cuda_runtime.cudaGetDevice || !gasan_cuda_runtime.cudaGetFuncBySymbol ||
      !gasan_cuda_runtime.cudaGetKernel || !gasan_cuda_runtime.cudaPeekAtLastError ||
      !gasan_cuda_runtime.cudaGetLastError) {
    *why = "the libcudart that was found is older than CUDA 12; set GASAN_OPTIONS=cudart=/path/to/libcudart.so.13, or "
           ".12";
    return false;
  }
  int (*get_version)(int *) = (int (*)(int *))dlsym(runtime_library, "cudaRuntimeGetVersion");
  int version = 0;
  is_runtime12 = get_version && get_version(&version) == 0 && version < 13000;
  if (is_runtime12)
    gasan_cuda_runtime12_use(runtime_library);
  return true;
}

void gasan_cuda_set_driver_only(void) {
  driver_only = true;
}

/* The others need an image of the runtime's, which only libcudart has (gasan_cuda_need_runtime). */
static void use_answers(void) {
  *(void **)&gasan_cuda_runtime.cudaGetDevice = gasan_cuda_driver_answer("cudaGetDevice");
  *(void **)&gasan_cuda_runtime.cudaPeekAtLastError = gasan_cuda_driver_answer("cudaPeekAtLastError");
  *(void **)&gasan_cuda_runtime.cudaGetLastError = gasan_cuda_driver_answer("cudaGetLastError");
}

bool gasan_cuda_load_runtime(const char **why) {
  if (driver_only) {
    use_answers();
    return true;
  }
  return open_and_resolve(why);
}

bool gasan_cuda_need_runtime(void) {
  const char *why;
  if (!driver_only)
    return runtime_library != NULL;
  pthread_mutex_lock(&runtime_lock);
  bool ready = runtime_library || open_and_resolve(&why);
  pthread_mutex_unlock(&runtime_lock);
  return ready;
}

void *gasan_cuda_runtime_symbol(const char *name) {
  if (!gasan_cuda_need_runtime())
    return NULL;
  return is_runtime12 ? gasan_cuda_runtime12_symbol(name) : dlsym(runtime_library, name);
}

void *gasan_cuda_own_symbol(const char *name) {
  void *answer = driver_only ? gasan_cuda_driver_answer(name) : NULL;
  return answer ? answer : gasan_cuda_runtime_symbol(name);
}
