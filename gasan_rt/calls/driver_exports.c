/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/export.h"
#include "gasan_rt/calls/driver_calls.h"

/* Older forms of these functions, which cuGetProcAddress returns for older CUDA versions, are not intercepted. */
#define FIRST_VERSION 6050
#define FIRST_GRAPH_VERSION 12000

/* Defines the functions of the driver API that the program calls. */
#define ARGUMENTS(...) __VA_ARGS__
#define GASAN_DRIVER_CALL(name, function, handler, stream, arguments, ...)                                             \
  GASAN_EXPORT CUresult function(__VA_ARGS__);                                                                         \
  GASAN_EXPORT CUresult function(__VA_ARGS__) {                                                                        \
    static struct gasan_driver_call call = {#name, #function, GASAN_STREAM_##stream, NULL};                            \
    return gasan_driver_call_##handler(&call, ARGUMENTS arguments);                                                    \
  }
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL

static const struct {
  const char *name;
  void *function;
  enum gasan_default_stream default_stream;
} exported[] = {
#define GASAN_DRIVER_CALL(name, function, handler, stream, arguments, ...)                                             \
  {#name, (void *)function, GASAN_STREAM_##stream},
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL
};

static bool is_intercepted_version(const char *name, int version) {
  return version >= (strncmp(name, "cuGraph", strlen("cuGraph")) == 0 ? FIRST_GRAPH_VERSION : FIRST_VERSION);
}

void gasan_driver_calls_replace(const char *name, void **function, int version, enum gasan_default_stream stream) {
  if (!name || !function || !*function || !is_intercepted_version(name, version) ||
      gasan_rt_kind() != &gasan_device_cuda)
    return;
  for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
    if (strcmp(name, exported[i].name) == 0 &&
        (stream == GASAN_STREAM_THREAD || exported[i].default_stream == GASAN_STREAM_LEGACY))
      *function = exported[i].function;
}
