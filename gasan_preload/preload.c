/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dlvsym, dladdr */
#include "gasan_preload/find.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/export.h"
#include "base/preload.h"

typedef void *(*dlsym_function)(void *handle, const char *name);

/* The runtime finds out by this symbol that the library is in the process (GASAN_PRELOAD_SYMBOL). */
extern GASAN_EXPORT const char gasan_preload_calls;
GASAN_EXPORT const char gasan_preload_calls = 1;

/* dlsym.S uses these. */
dlsym_function gasan_preload_next_dlsym;
void gasan_preload_start(void);
void *gasan_preload_dlsym(void *handle, const char *name, const void *caller);

/* The name has one version before glibc 2.34, and another since. */
void gasan_preload_start(void) {
  void *next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!next)
    next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (!next) {
    fprintf(stderr, "gasan: ERROR: libgasan_preload.so: the C library has no dlsym that it knows\n");
    _exit(1);
  }
  gasan_preload_next_dlsym = (dlsym_function)next;
}

static dlsym_function next_dlsym(void) {
  if (!gasan_preload_next_dlsym)
    gasan_preload_start();
  return gasan_preload_next_dlsym;
}

static __thread bool loading __attribute__((tls_model("initial-exec")));
static void *(*_Atomic find_function)(const char *symbol);
static void *_Atomic runtime;            /* libgasan_rt.so's handle */
static const void *_Atomic runtime_base; /* where libgasan_rt.so is */
static _Atomic bool failed;

static const void *base_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* libgasan_rt.so lies beside this library. No lock is held: dlopen takes the loader's, and another thread may hold that
 * and call this. Several threads then get the same library. */
static void load_runtime(void) {
  char path[4096];
  if (!gasan_path_beside((void *)load_runtime, "libgasan_rt.so", path, sizeof path))
    return;
  loading = true;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  loading = false;
  void *found = library ? next_dlsym()(library, "gasan_door_function") : NULL;
  if (!found && !atomic_exchange(&failed, true))
    fprintf(stderr, "gasan: ERROR: nothing is checked: %s\n",
            library ? "libgasan_rt.so is of another version" : dlerror());
  if (!found)
    return;
  runtime = library;
  runtime_base = base_of(found);
  find_function = (void *(*)(const char *))found;
}

void *gasan_preload_find(const char *symbol) {
  if (loading)
    return NULL;
  if (!find_function && !failed)
    load_runtime();
  return find_function ? find_function(symbol) : NULL;
}

void *gasan_preload_own(const char *name) {
  gasan_preload_find("");
  return runtime ? next_dlsym()(runtime, name) : NULL;
}

void *gasan_preload_next(void *handle, const char *name) {
  return next_dlsym()(handle, name);
}

void *gasan_preload_real(const char *symbol) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? next_dlsym()(library, symbol) : NULL;
}

/* Returns true for an address in the driver's library, not in one that only calls it. */
static bool is_in_driver(const void *address) {
  static const char name[] = "libcuda.so";
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  return strncmp(slash ? slash + 1 : info.dli_fname, name, strlen(name)) == 0;
}

void *gasan_preload_dlsym(void *handle, const char *name, const void *caller) {
  void *found = next_dlsym()(handle, name);
  if (found && !loading && strncmp(name, "nvrtc", strlen("nvrtc")) == 0)
    return gasan_preload_nvrtc(name, found);
  if (found && !loading && strstr(name, "nvJitLink"))
    return gasan_preload_nvjitlink(name, found, caller);
  if (!found || loading || !is_in_driver(found))
    return found;
  void *ours = gasan_preload_find(name);
  return ours && base_of(caller) != runtime_base ? ours : found;
}
