/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvJitLink, which Numba asks for by dlsym, for instrument=on: one object with checks in place of the PTX of a link.
 * Any thread; no lock.
 *
 * From version 12.3 on, Numba has its kernels compiled to LTO-IR, which takes another way to checks (lto_links.c).
 * So nvJitLinkVersion gives an older version, and Numba adds PTX. XLA (JAX) adds PTX, but would not use an old version.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_preload/find.h"
#include "gasan_preload/lto_links.h"

/* nvJitLinkInputType, and a number for files that cannot be read */
enum { INPUT_CUBIN = 1, INPUT_PTX = 2, INPUT_CONTAINER = 4, INPUT_ANY = 10, INPUT_NOT_READ = -1 };
enum { INVALID_INPUT = 3 }; /* of nvJitLinkResult */

typedef int (*create_function)(void **linker, unsigned count, const char **options);
typedef int (*add_function)(void *linker, int type, const void *data, size_t size, const char *name);
typedef int (*add_file_function)(void *linker, int type, const char *path);
typedef int (*complete_function)(void *linker);
typedef int (*destroy_function)(void **linker);
typedef int (*size_function)(void *linker, size_t *size);
typedef int (*cubin_function)(void *linker, void *cubin);

enum { VERSION_MAJOR = 12, VERSION_MINOR = 0 };

static create_function _Atomic real_create;
static size_function _Atomic real_size;
static cubin_function _Atomic real_cubin;
static add_function _Atomic real_add;
static add_file_function _Atomic real_add_file;
static complete_function _Atomic real_complete;
static destroy_function _Atomic real_destroy;

/* A function of libgasan_rt.so (gasan_rt/door/door_links.c), or NULL. */
#define OWN(type, name) ((type)gasan_preload_own(name))

/* The functions of one library under one kind of names are replaced: all of a program's, or none. Programs into which
 * NVIDIA's header was compiled ask for __nvJitLinkAddData_13_0. */
struct names {
  const void *library;
  char ending[8]; /* "_13_0", or "" */
};
static struct names first_names;

static int create(void **linker, unsigned count, const char **options) {
  const int result = real_create(linker, count, options);
  if (!result && linker)
    gasan_lto_link_start(*linker, count, options);
  return result;
}

/* A function that the program has not asked for is found in its library. */
static void *or_found(void *function, const char *name) {
  Dl_info info;
  char versioned[64];
  void *known = real_complete ? (void *)real_complete : (void *)real_create;
  void *library = !function && known && dladdr(known, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!library)
    return function;
  snprintf(versioned, sizeof versioned, "__%s%s", name, first_names.ending);
  function = gasan_preload_next(library, *first_names.ending ? versioned : name);
  dlclose(library);
  return function;
}

static bool has_add(void) {
  if (!real_add)
    real_add = (add_function)or_found(NULL, "nvJitLinkAddData");
  return real_add;
}

static bool may_have_ptx(int type) {
  return type == INPUT_CUBIN || type == INPUT_PTX || type == INPUT_CONTAINER || type == INPUT_ANY;
}

/* Returns true if the link's object will have the input's code, with checks. */
static bool keep(void *linker, int type, const void *data, size_t size, const char *name) {
  int (*keep_in_door)(void *, int, const void *, size_t, const char *) =
      OWN(int (*)(void *, int, const void *, size_t, const char *), "gasan_door_link_keep");
  return may_have_ptx(type) && data && size && has_add() && keep_in_door &&
         keep_in_door(linker, type, data, size, name);
}

static int add_data(void *linker, int type, const void *data, size_t size, const char *name) {
  if (gasan_lto_link_is(linker)) {
    const int result = real_add(linker, type, data, size, name);
    if (!result && data)
      gasan_lto_link_add(linker, type, data, size, name);
    return result;
  }
  return keep(linker, type, data, size, name) ? 0 : real_add(linker, type, data, size, name);
}

/* Returns the bytes of a file with a NUL behind its end, or NULL. The caller frees them. */
static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  const bool has_end = file && !fseek(file, 0, SEEK_END);
  const long end = has_end ? ftell(file) : -1;
  char *bytes = end > 0 ? malloc((size_t)end + 1) : NULL;
  if (bytes)
    rewind(file);
  if (bytes && fread(bytes, 1, (size_t)end, file) == (size_t)end) {
    bytes[end] = 0;
    *size = (size_t)end;
  } else {
    free(bytes);
    bytes = NULL;
  }
  if (file)
    fclose(file);
  return bytes;
}

/* A file counts as its bytes; PTX has a NUL behind its end, as data has. */
static int add_file(void *linker, int type, const char *path) {
  size_t size = 0;
  void *bytes = path ? read_file(path, &size) : NULL;
  int result = 0;
  if (gasan_lto_link_is(linker)) {
    result = real_add_file(linker, type, path);
    if (!result)
      gasan_lto_link_add(linker, bytes ? type : INPUT_NOT_READ, bytes ? bytes : "", size, path);
  } else if (!keep(linker, type, bytes, size + (type == INPUT_PTX), path)) {
    result = real_add_file(linker, type, path);
  }
  free(bytes);
  return result;
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
  has_add();
  if (gasan_lto_link_is(linker)) {
    const struct gasan_lto_library library = {.function = (void *)real_complete,
                                              .ending = first_names.ending,
                                              .create = real_create,
                                              .add = real_add,
                                              .complete = real_complete,
                                              .destroy =
                                                  (destroy_function)or_found((void *)real_destroy, "nvJitLinkDestroy")};
    if (library.add && library.destroy && gasan_lto_link_complete(linker, &library))
      return 0;
  }
  const int added = add_kept(linker);
  return added ? added : real_complete(linker);
}

static int size_of(void *linker, size_t *size) {
  size_t own;
  if (!size || !gasan_lto_link_cubin(linker, &own))
    return real_size(linker, size);
  *size = own;
  return 0;
}

static int read_cubin(void *linker, void *cubin) {
  size_t size;
  const void *own = gasan_lto_link_cubin(linker, &size);
  if (!own || !cubin)
    return real_cubin(linker, cubin);
  memcpy(cubin, own, size);
  return 0;
}

static int destroy(void **linker) {
  void *(*take)(void *) = OWN(void *(*)(void *), "gasan_door_link_take");
  void (*forget)(void *) = OWN(void (*)(void *), "gasan_door_link_free");
  if (take && forget && linker)
    forget(take(*linker));
  if (linker)
    gasan_lto_link_end(*linker);
  return real_destroy(linker);
}

static int version(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return INVALID_INPUT;
  *major = VERSION_MAJOR;
  *minor = VERSION_MINOR;
  return 0;
}

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
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!first_names.library)
    first_names = *names;
  const bool same = first_names.library == names->library && strcmp(first_names.ending, names->ending) == 0;
  pthread_mutex_unlock(&lock);
  return same;
}

static bool is_xla(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "xla");
}

/* Returns our function for a plain name, and keeps the library's. */
static void *replace(const char *name, void *found, const struct names *names) {
  static const struct {
    const char *name;
    void *ours;
    void *real; /* where the library's function is kept */
  } replaced[] = {{"nvJitLinkCreate", (void *)create, &real_create},
                  {"nvJitLinkAddData", (void *)add_data, &real_add},
                  {"nvJitLinkAddFile", (void *)add_file, &real_add_file},
                  {"nvJitLinkComplete", (void *)complete, &real_complete},
                  {"nvJitLinkGetLinkedCubinSize", (void *)size_of, &real_size},
                  {"nvJitLinkGetLinkedCubin", (void *)read_cubin, &real_cubin},
                  {"nvJitLinkDestroy", (void *)destroy, &real_destroy}};
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (strcmp(name, replaced[i].name) == 0 && are_ours(names)) {
      memcpy(replaced[i].real, &found, sizeof found);
      return replaced[i].ours;
    }
  return found;
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
  return replace(plain, found, &names);
}
