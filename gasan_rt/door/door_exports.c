/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions to which libgasan_preload.so passes calls. They have no names of their own in this library, where
 * libcudart's own calls would find them. */
#include <string.h>

#include "base/export.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/door/door_calls.h"

#define ARGUMENTS(...) __VA_ARGS__
#define GASAN_DOOR_CALL(name, symbol, handler, stream, arguments, ...)                                                 \
  static CUresult door_##symbol(__VA_ARGS__) {                                                                         \
    static struct gasan_driver_call call = {#name, #symbol, GASAN_STREAM_##stream, NULL};                              \
    if (gasan_door_passes(#symbol) || !gasan_door_serves())                                                            \
      return ((CUresult (*)(__VA_ARGS__))gasan_driver_call_target(&call))arguments;                                    \
    return gasan_door_call_##handler(&call, ARGUMENTS arguments);                                                      \
  }
#define GASAN_DOOR_CALL_PLAIN(name, symbol, handler)                                                                   \
  static CUresult door_##symbol(void) {                                                                                \
    static struct gasan_driver_call call = {#name, #symbol, GASAN_STREAM_LEGACY, NULL};                                \
    if (gasan_door_passes(#symbol) || !gasan_door_serves())                                                            \
      return ((CUresult (*)(void))gasan_driver_call_target(&call))();                                                  \
    return gasan_door_call_##handler(&call);                                                                           \
  }
#include "gasan_rt/door/door_calls.inc"
#undef GASAN_DOOR_CALL
#undef GASAN_DOOR_CALL_PLAIN

static const struct {
  const char *name, *symbol;
  void *function;
  enum gasan_default_stream default_stream;
} functions[] = {
#define GASAN_DOOR_CALL(name, symbol, handler, stream, arguments, ...)                                                 \
  {#name, #symbol, (void *)door_##symbol, GASAN_STREAM_##stream},
#define GASAN_DOOR_CALL_PLAIN(name, symbol, handler) {#name, #symbol, (void *)door_##symbol, GASAN_STREAM_LEGACY},
#include "gasan_rt/door/door_calls.inc"
#undef GASAN_DOOR_CALL
#undef GASAN_DOOR_CALL_PLAIN
};

GASAN_EXPORT void *gasan_door_function(const char *symbol) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(symbol, functions[i].symbol) == 0)
      return functions[i].function;
  return gasan_driver_export(symbol);
}

/* Returns true if a CUDA version has the function in the form of the table (gasan_rt/calls/driver_exports.c). Before
 * CUDA 12, cuGetProcAddress has one parameter less, before 10.1, cuStreamBeginCapture, and before 13, cuCtxSynchronize.
 */
static bool has_form(const char *name, const char *symbol, int version) {
  if (strcmp(name, "cuGetProcAddress") == 0)
    return version < 12000;
  if (strcmp(name, "cuCtxSynchronize") == 0)
    return (version >= 13000) == (strstr(symbol, "_v2") != NULL);
  if (strcmp(name, "cuStreamBeginCapture") == 0)
    return version >= 10010;
  return version >= 3020 || !strstr(symbol, "_v2");
}

/* A row with THREAD follows the row with LEGACY. */
static void *find_by_name(const char *name, int version, enum gasan_default_stream stream) {
  void *found = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(name, functions[i].name) == 0 && has_form(name, functions[i].symbol, version) &&
        (stream == GASAN_STREAM_THREAD || functions[i].default_stream == GASAN_STREAM_LEGACY))
      found = functions[i].function;
  return found;
}

__attribute__((constructor(101))) static void open_door(void) {
  if (gasan_door_is_open())
    gasan_driver_calls_add(find_by_name);
}
