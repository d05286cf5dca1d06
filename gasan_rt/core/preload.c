/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Restores LD_PRELOAD in a program that was linked without this library. Such a program starts itself again with this
 * library in LD_PRELOAD (device/cpu/helpers/registration.c). The processes that it starts must get its former
 * LD_PRELOAD. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/export.h"
#include "base/preload.h"

__attribute__((constructor(101))) static void restore_preload(void) {
  const char *before = getenv(GASAN_PRELOADED);
  if (!before)
    return;
  if (*before)
    setenv("LD_PRELOAD", before, 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv(GASAN_PRELOADED);
}

/* Two runtimes in a process would each give out device memory and serve half of the program's calls. So the second one
 * ends the process while it is loaded. The loader knows libraries by their names, so only a renamed copy gets here. */
GASAN_EXPORT extern const char __gasan_runtime[];
GASAN_EXPORT const char __gasan_runtime[] = GASAN_VERSION;
/* This library's own, where the loader gives the first one for the name. */
extern const char own_runtime[sizeof GASAN_VERSION] __attribute__((alias("__gasan_runtime"), visibility("hidden")));

static const char *file_of(const void *symbol) {
  Dl_info info;
  return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "an unknown file";
}

__attribute__((constructor(102))) static void refuse_second_runtime(void) {
  const char *first = dlsym(RTLD_DEFAULT, "__gasan_runtime");
  if (!first || first == own_runtime)
    return;
  fprintf(
      stderr,
      "==%d==gasan: ERROR: this process has two gasan runtimes, %s (version %s) and %s (version %s); build all parts "
      "with one gasan, or take one of the files away\n",
      (int)getpid(), file_of(first), first, file_of(own_runtime), own_runtime);
  fflush(stderr);
  _exit(1);
}
