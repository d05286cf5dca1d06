/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/calls.h"

#include "base/export.h"
#include "gasan_rt/core/door.h"

#define INSIDE __attribute__((cleanup(gasan_door_leave), unused)) const bool inside = gasan_door_enter()

/* CUDA's headers do not declare all of these functions. */
#define ARGUMENTS(...) __VA_ARGS__
#define GASAN_CALL(name, result, handler, stream, arguments, ...)                                                      \
  GASAN_EXPORT result name(__VA_ARGS__);                                                                               \
  GASAN_EXPORT result name(__VA_ARGS__) {                                                                              \
    static struct gasan_call call = {.api = #name, .default_stream = GASAN_STREAM_##stream};                           \
    INSIDE;                                                                                                            \
    return gasan_call_##handler(&call, ARGUMENTS arguments);                                                           \
  }
#define GASAN_CALL_PLAIN(name, result, handler)                                                                        \
  GASAN_EXPORT result name(void) {                                                                                     \
    static struct gasan_call call = {.api = #name};                                                                    \
    INSIDE;                                                                                                            \
    return gasan_call_##handler(&call);                                                                                \
  }
#include "gasan_rt/calls/calls.inc"
