/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvJitLink, which Numba asks for by dlsym, for instrument=on: an object with checks in place of the first PTX of a
 * link. Any thread; no lock.
 *
 * From version 12.3 on, Numba has its kernels compiled to LTO-IR, in which no tool but NVIDIA's sees loads and stores.
 * So nvJitLinkVersion gives an older version, and Numba adds PTX. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_preload/find.h"

enum { INPUT_CUBIN = 1, INPUT_PTX = 2 }; /* of nvJitLinkInputType */
enum { INVALID_INPUT = 3 };              /* of nvJitLinkResult */

typedef int (*add_function)(void *linker, int type, const void *data, size_t size, const char *name);
typedef int (*destroy_function)(void **linker);

enum { VERSION_MAJOR = 12, VERSION_MINOR = 0 };

/* Of the first libnvJitLink that was asked; another one's functions are not replaced. */
static add_function _Atomic real_add;
static destroy_function _Atomic real_destroy;

static int add_data(void *linker, int type, const void *data, size_t size, const char *name) {
  void *(*object_for)(void *, const void *, size_t, size_t *) =
      (void *(*)(void *, const void *, size_t, size_t *))gasan_preload_own("gasan_door_link_object");
  size_t object_size = 0;
  void *object = type == INPUT_PTX && data && object_for ? object_for(linker, data, size, &object_size) : NULL;
  const bool added = object && real_add(linker, INPUT_CUBIN, object, object_size, name) == 0;
  free(object);
  return added ? 0 : real_add(linker, type, data, size, name);
}

static int destroy(void **linker) {
  void (*forget)(void *) = (void (*)(void *))gasan_preload_own("gasan_door_link_ended");
  if (forget && linker)
    forget(*linker);
  return real_destroy(linker);
}

static int version(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return INVALID_INPUT;
  *major = VERSION_MAJOR;
  *minor = VERSION_MINOR;
  return 0;
}

void *gasan_preload_nvjitlink(const char *name, void *found) {
  int (*instruments)(void) = (int (*)(void))gasan_preload_own("gasan_door_instruments");
  if (!instruments || !instruments())
    return found;
  if (strcmp(name, "nvJitLinkAddData") == 0) {
    if (!real_add)
      real_add = (add_function)found;
    return (void *)real_add == found ? (void *)add_data : found;
  }
  if (strcmp(name, "nvJitLinkDestroy") == 0) {
    if (!real_destroy)
      real_destroy = (destroy_function)found;
    return (void *)real_destroy == found ? (void *)destroy : found;
  }
  return strcmp(name, "nvJitLinkVersion") == 0 ? (void *)version : found;
}
