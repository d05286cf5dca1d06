/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libgasan_nvtx.so: NVTX loads this library by NVTX_INJECTION64_PATH, and calls these functions. They pass NVTX's
 * tables to the runtime. In a process without gasan they return 0: NVTX then does nothing. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

/* The runtime may be in no scope that this library sees: a library of Python's brings it. */
static int (*find_attach(void))(void *) {
  void *found = dlsym(RTLD_DEFAULT, "__gasan_nvtx_attach");
  void *runtime = found ? NULL : dlopen("libgasan_rt.so", RTLD_NOW | RTLD_NOLOAD);
  if (runtime)
    found = dlsym(runtime, "__gasan_nvtx_attach");
  return (int (*)(void *))found;
}

/* For NVTX's extensions. Returns 1 if gasan takes the module. */
GASAN_EXPORT int InitializeInjectionNvtxExtension(void *module);
GASAN_EXPORT int InitializeInjectionNvtxExtension(void *module) {
  int (*attach)(void *) = find_attach();
  return attach ? attach(module) : 0;
}

/* For NVTX itself (ranges, marks), of which gasan uses nothing. */
typedef const void *(*get_table_function)(uint32_t table);
GASAN_EXPORT int InitializeInjectionNvtx2(get_table_function get_table);
GASAN_EXPORT int InitializeInjectionNvtx2(get_table_function get_table) {
  (void)get_table;
  return find_attach() != NULL;
}
