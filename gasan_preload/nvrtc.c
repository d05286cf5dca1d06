/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NVRTC, for instrument=on: its code gets lines, and the PTX behind a cubin is kept, so that the runtime can put checks
 * into it when the program loads the cubin. Any thread; no lock.
 *
 * A process may have several libnvrtc. A program that is linked with one calls these functions by their names, and the
 * calls go to the libnvrtc among the caller's own libraries. Others ask dlsym. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "gasan_preload/find.h"

#define FAILED 7 /* NVRTC_ERROR_BUILTIN_OPERATION_FAILURE */

typedef void *program;
typedef int (*compile_function)(program of, int count, const char *const *options);
typedef int (*text_function)(program of, char *text);
typedef int (*size_function)(program of, size_t *size);

GASAN_EXPORT int nvrtcCompileProgram(program of, int count, const char *const *options);
GASAN_EXPORT int nvrtcGetCUBIN(program of, char *cubin);

static struct replaced {
  const char *name;
  void *own;
  void *_Atomic asked; /* dlsym's first answer; another libnvrtc's functions are not replaced */
} compile = {"nvrtcCompileProgram", (void *)nvrtcCompileProgram, NULL},
  get_cubin = {"nvrtcGetCUBIN", (void *)nvrtcGetCUBIN, NULL};

static bool instruments(void) {
  int (*asked)(void) = (int (*)(void))gasan_preload_own("gasan_door_instruments");
  return asked && asked();
}

/* Returns the function that a library finds among itself and the libraries that it needs. `inside`: any address in the
 * library. */
static void *find_from(const void *inside, const char *name) {
  Dl_info info;
  void *library = dladdr(inside, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  void *found = library ? gasan_preload_next(library, name) : NULL;
  if (library)
    dlclose(library); /* NOLOAD has counted it once more */
  return found;
}

static void *real_of(struct replaced *function, const void *caller) {
  void *found = find_from(caller, function->name);
  if (!found || found == function->own)
    found = function->asked;
  return found ? found : gasan_preload_next(RTLD_NEXT, function->name);
}

void *gasan_preload_nvrtc(const char *name, void *found) {
  struct replaced *function = strcmp(name, compile.name) == 0     ? &compile
                              : strcmp(name, get_cubin.name) == 0 ? &get_cubin
                                                                  : NULL;
  if (!function || found == function->own || !instruments())
    return found;
  if (!function->asked)
    function->asked = found;
  return function->asked == found ? function->own : found;
}

static bool has_lines(int count, const char *const *options) {
  static const char *const names[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug"};
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strcmp(options[i], names[k]) == 0)
        return true;
  return false;
}

int nvrtcCompileProgram(program of, int count, const char *const *options) {
  compile_function real = (compile_function)real_of(&compile, __builtin_return_address(0));
  const char **more = NULL;
  if (!real)
    return FAILED;
  if (count >= 0 && !has_lines(count, options) && instruments())
    more = calloc((size_t)count + 1, sizeof *more);
  if (!more)
    return real(of, count, options);
  if (count)
    memcpy(more, options, (size_t)count * sizeof *more);
  more[count] = "-lineinfo";
  const int result = real(of, count + 1, more);
  free(more);
  return result;
}

/* Passes cubin and PTX to the runtime. `real`: a function of the program's libnvrtc. */
static void keep_ptx(program of, const char *cubin, const void *real) {
  size_function size_of = (size_function)find_from(real, "nvrtcGetCUBINSize"),
                ptx_size_of = (size_function)find_from(real, "nvrtcGetPTXSize");
  text_function ptx_of = (text_function)find_from(real, "nvrtcGetPTX");
  void (*keep)(const void *, size_t, const char *) =
      (void (*)(const void *, size_t, const char *))gasan_preload_own("gasan_door_keep_ptx");
  size_t size = 0, ptx_size = 0;
  if (!size_of || !ptx_size_of || !ptx_of || !keep || size_of(of, &size) || ptx_size_of(of, &ptx_size) || ptx_size < 2)
    return;
  char *ptx = calloc(1, ptx_size + 1);
  if (ptx && !ptx_of(of, ptx))
    keep(cubin, size, ptx);
  free(ptx);
}

int nvrtcGetCUBIN(program of, char *cubin) {
  text_function real = (text_function)real_of(&get_cubin, __builtin_return_address(0));
  const int result = real ? real(of, cubin) : FAILED;
  if (!result && instruments())
    keep_ptx(of, cubin, (const void *)real);
  return result;
}
