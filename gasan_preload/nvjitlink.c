/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvJitLink, which Numba asks for by dlsym, for instrument=on: one object with checks in place of the PTX of a link.
 * Any thread; no lock.
 *
 * From version 12.3 on, Numba has its kernels compiled to LTO-IR, in which no tool but NVIDIA's sees loads and stores.
 * So nvJitLinkVersion gives an older version, and Numba adds PTX. XLA (JAX) adds PTX, but would not use an old version.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_preload/find.h"

enum { INPUT_CUBIN = 1, INPUT_PTX = 2, INPUT_LTO = 3, INPUT_CONTAINER = 4, INPUT_ANY = 10 }; /* nvJitLinkInputType */
enum { INVALID_INPUT = 3 };                                                                  /* of nvJitLinkResult */

typedef int (*add_function)(void *linker, int type, const void *data, size_t size, const char *name);
typedef int (*complete_function)(void *linker);
typedef int (*destroy_function)(void **linker);

enum { VERSION_MAJOR = 12, VERSION_MINOR = 0 };

static add_function _Atomic real_add;
static complete_function _Atomic real_complete;
static destroy_function _Atomic real_destroy;

/* A function of libgasan_rt.so (gasan_rt/door/door_links.c), or NULL. */
#define OWN(type, name) ((type)gasan_preload_own(name))

static bool is_lto(int type, const void *data, size_t size) {
  static const unsigned char magic[] = {0xed, 0x43, 0x4e, 0x7f};
  return type == INPUT_LTO || (type == INPUT_ANY && size >= sizeof magic && !memcmp(data, magic, sizeof magic));
}

static int add_data(void *linker, int type, const void *data, size_t size, const char *name) {
  int (*keep)(void *, int, const void *, size_t, const char *) =
      OWN(int (*)(void *, int, const void *, size_t, const char *), "gasan_door_link_keep");
  void (*say_lto)(void) = OWN(void (*)(void), "gasan_door_link_lto");
  const bool may_have_ptx = type == INPUT_CUBIN || type == INPUT_PTX || type == INPUT_CONTAINER || type == INPUT_ANY;
  if (say_lto && data && is_lto(type, data, size))
    say_lto();
  if (may_have_ptx && data && size && keep && keep(linker, type, data, size, name))
    return 0;
  return real_add(linker, type, data, size, name);
}

/* Adds the object, or the program's inputs if there is no object. */
static int add_kept(void *linker) {
  void *(*take)(void *) = OWN(void *(*)(void *), "gasan_door_link_take");
  void *(*object_of)(void *, size_t *) = OWN(void *(*)(void *, size_t *), "gasan_door_link_object");
  const void *(*input_of)(void *, size_t, int *, size_t *, const char **) =
      OWN(const void *(*)(void *, size_t, int *, size_t *, const char **), "gasan_door_link_input");
  void (*forget)(void *) = OWN(void (*)(void *), "gasan_door_link_free");
  void *link = take && object_of && input_of && forget ? take(linker) : NULL;
  if (!link)
    return 0;
  size_t size = 0;
  void *object = object_of(link, &size);
  int result = object ? real_add(linker, INPUT_CUBIN, object, size, "checked") : INVALID_INPUT;
  free(object);
  if (result) {
    const char *name;
    const void *data;
    int type;
    result = 0;
    for (size_t i = 0; !result && (data = input_of(link, i, &type, &size, &name)); i++)
      result = real_add(linker, type, data, size, name);
  }
  forget(link);
  return result;
}

static int complete(void *linker) {
  const int added = add_kept(linker);
  return added ? added : real_complete(linker);
}

static int destroy(void **linker) {
  void *(*take)(void *) = OWN(void *(*)(void *), "gasan_door_link_take");
  void (*forget)(void *) = OWN(void (*)(void *), "gasan_door_link_free");
  if (take && forget && linker)
    forget(take(*linker));
  return real_destroy(linker);
}

static int version(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return INVALID_INPUT;
  *major = VERSION_MAJOR;
  *minor = VERSION_MINOR;
  return 0;
}

/* The functions of one library under one kind of names are replaced: all of a program's, or none. Programs into which
 * NVIDIA's header was compiled ask for __nvJitLinkAddData_13_0. */
struct names {
  const void *library;
  char ending[8]; /* "_13_0", or "" */
};

/* Returns the plain name of a function, in `plain`. */
static const char *plain_name(const char *name, char *plain, size_t size, struct names *names) {
  const bool has_ending = strncmp(name, "__", 2) == 0;
  const char *start = has_ending ? name + 2 : name;
  const size_t length = strcspn(start, "_");
  if (length >= size || strlen(start + length) >= sizeof names->ending)
    return "";
  strcpy(names->ending, start + length);
  memcpy(plain, start, length);
  plain[length] = 0;
  return plain;
}

/* Returns true for the library and the kind of names that were asked for first. */
static bool are_ours(const struct names *names) {
  static struct names first;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!first.library)
    first = *names;
  const bool same = first.library == names->library && strcmp(first.ending, names->ending) == 0;
  pthread_mutex_unlock(&lock);
  return same;
}

static bool is_xla(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "xla");
}

void *gasan_preload_nvjitlink(const char *name, void *found, const void *caller) {
  int (*instruments)(void) = OWN(int (*)(void), "gasan_door_instruments");
  char text[64];
  struct names names = {0};
  Dl_info info;
  const char *plain = plain_name(name, text, sizeof text, &names);
  names.library = dladdr(found, &info) ? info.dli_fbase : NULL;
  if (!instruments || !instruments())
    return found;
  if (strcmp(plain, "nvJitLinkVersion") == 0)
    return is_xla(caller) ? found : (void *)version;
  const bool is_add = strcmp(plain, "nvJitLinkAddData") == 0, is_complete = strcmp(plain, "nvJitLinkComplete") == 0,
             is_destroy = strcmp(plain, "nvJitLinkDestroy") == 0;
  if ((!is_add && !is_complete && !is_destroy) || !are_ours(&names))
    return found;
  if (is_add)
    real_add = (add_function)found;
  else if (is_complete)
    real_complete = (complete_function)found;
  else
    real_destroy = (destroy_function)found;
  return is_add ? (void *)add_data : is_complete ? (void *)complete : (void *)destroy;
}
