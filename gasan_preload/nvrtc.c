/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NVRTC, for instrument=on: its code gets lines, and the PTX behind a cubin is kept, so that the runtime can put checks
 * into it when the program loads the cubin. Any thread; no lock. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "gasan_preload/find.h"

typedef void *program;

GASAN_EXPORT int nvrtcCompileProgram(program of, int count, const char *const *options);
GASAN_EXPORT int nvrtcGetCUBIN(program of, char *cubin);

static struct {
  const char *name;
  void *own;
  void *_Atomic real; /* of the first libnvrtc that was asked; another one's functions are not replaced */
} functions[] = {{"nvrtcCompileProgram", (void *)nvrtcCompileProgram, NULL},
                 {"nvrtcGetCUBIN", (void *)nvrtcGetCUBIN, NULL},
                 {"nvrtcGetCUBINSize", NULL, NULL},
                 {"nvrtcGetPTX", NULL, NULL},
                 {"nvrtcGetPTXSize", NULL, NULL}};

static bool instruments(void) {
  int (*asked)(void) = (int (*)(void))gasan_preload_own("gasan_door_instruments");
  return asked && asked();
}

/* Looks for the functions in the library that has `found`; NULL: in the program's scope. */
static void find_functions(void *handle) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!functions[i].real)
      functions[i].real = gasan_preload_next(handle, functions[i].name);
}

static void *real(size_t number) {
  if (!functions[number].real)
    find_functions(RTLD_NEXT);
  return functions[number].real;
}

void *gasan_preload_nvrtc(void *handle, const char *name, void *found) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (functions[i].own && strcmp(functions[i].name, name) == 0 && found != functions[i].own && instruments()) {
      find_functions(handle);
      return functions[i].real == found ? functions[i].own : found;
    }
  return found;
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
  int (*compile)(program, int, const char *const *) = (int (*)(program, int, const char *const *))real(0);
  const char **more = NULL;
  if (!compile)
    return 7; /* NVRTC_ERROR_BUILTIN_OPERATION_FAILURE */
  if (count >= 0 && !has_lines(count, options) && instruments())
    more = calloc((size_t)count + 1, sizeof *more);
  if (!more)
    return compile(of, count, options);
  if (count)
    memcpy(more, options, (size_t)count * sizeof *more);
  more[count] = "-lineinfo";
  int result = compile(of, count + 1, more);
  free(more);
  return result;
}

int nvrtcGetCUBIN(program of, char *cubin) {
  int (*get)(program, char *) = (int (*)(program, char *))real(1);
  int (*size_of)(program, size_t *) = (int (*)(program, size_t *))real(2);
  int (*ptx_of)(program, char *) = (int (*)(program, char *))real(3);
  int (*ptx_size_of)(program, size_t *) = (int (*)(program, size_t *))real(4);
  void (*keep)(const void *, size_t, const char *) =
      (void (*)(const void *, size_t, const char *))gasan_preload_own("gasan_door_keep_ptx");
  size_t size = 0, ptx_size = 0;
  int result = get ? get(of, cubin) : 7;
  if (result || !instruments() || !keep || !size_of || !ptx_of || !ptx_size_of || size_of(of, &size) ||
      ptx_size_of(of, &ptx_size) || ptx_size < 2)
    return result;
  char *ptx = calloc(1, ptx_size + 1);
  if (ptx && !ptx_of(of, ptx))
    keep(cubin, size, ptx);
  free(ptx);
  return result;
}
