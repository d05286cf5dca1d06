/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/export.h"
#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/core/door.h"

/* cuGetProcAddress returns the form of a function that a CUDA version has. libcudart asks for each function with the
 * version that brought the form that it calls: 2000 or 3020 for many. Older forms are not intercepted: those of
 * CUDA 3.1, with addresses of 32 bits, and those of graphs before CUDA 12. */
#define FIRST_VERSION_OF_V2 3020
#define FIRST_NEWER_VERSION 12000

/* Defines the functions of the driver API that the program calls. Each has a second, local name: in this library, too,
 * the exported name may be another library's (libgasan_preload.so). */
#define ARGUMENTS(...) __VA_ARGS__
#define GASAN_DRIVER_CALL(name, function, handler, stream, arguments, ...)                                             \
  static CUresult own_##function(__VA_ARGS__) {                                                                        \
    static struct gasan_driver_call call = {#name, #function, GASAN_STREAM_##stream, NULL};                            \
    if (gasan_door_passes(#function))                                                                                  \
      return ((CUresult (*)(__VA_ARGS__))gasan_driver_call_target(&call))arguments;                                    \
    return gasan_driver_call_##handler(&call, ARGUMENTS arguments);                                                    \
  }                                                                                                                    \
  GASAN_EXPORT CUresult function(__VA_ARGS__) __attribute__((alias("own_" #function)));
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL

static const struct {
  const char *name, *symbol;
  void *function;
  enum gasan_default_stream default_stream;
} exported[] = {
#define GASAN_DRIVER_CALL(name, function, handler, stream, arguments, ...)                                             \
  {#name, #function, (void *)own_##function, GASAN_STREAM_##stream},
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL
};

static bool is_intercepted_version(const char *name, const char *symbol, int version) {
  const bool newer = strncmp(name, "cuGraph", strlen("cuGraph")) == 0 || strcmp(name, "cuGetProcAddress") == 0;
  return version >= (newer ? FIRST_NEWER_VERSION : strstr(symbol, "_v2") ? FIRST_VERSION_OF_V2 : 0);
}

void *gasan_driver_export(const char *symbol) {
  for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
    if (strcmp(symbol, exported[i].symbol) == 0)
      return exported[i].function;
  return NULL;
}

static void *(*find_more)(const char *name, int version, enum gasan_default_stream stream);

void gasan_driver_calls_add(void *(*find)(const char *name, int version, enum gasan_default_stream stream)) {
  find_more = find;
}

void gasan_driver_calls_replace(const char *name, void **function, int version, enum gasan_default_stream stream) {
  /* Behind the door, a program may ask long before it uses CUDA, and fork. */
  if (!name || !function || !*function || (!gasan_door_is_open() && gasan_rt_kind() != &gasan_device_cuda))
    return;
  for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
    if (strcmp(name, exported[i].name) == 0 && is_intercepted_version(name, exported[i].symbol, version) &&
        (stream == GASAN_STREAM_THREAD || exported[i].default_stream == GASAN_STREAM_LEGACY))
      *function = exported[i].function;
  void *more = find_more ? find_more(name, version, stream) : NULL;
  if (more)
    *function = more;
}
