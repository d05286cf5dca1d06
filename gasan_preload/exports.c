/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of libcuda that gasan intercepts, for programs that are linked with libcuda. */
#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>

#include "base/export.h"
#include "gasan_preload/find.h"

static void *target_of(const char *symbol) {
  void *target = gasan_preload_find(symbol);
  return target ? target : gasan_preload_real(symbol);
}

#define ARGUMENTS(...) __VA_ARGS__
#define PASS(symbol, parameters, arguments)                                                                            \
  GASAN_EXPORT CUresult symbol parameters;                                                                             \
  GASAN_EXPORT CUresult symbol parameters {                                                                            \
    static CUresult(*_Atomic target_) parameters;                                                                      \
    if (!target_)                                                                                                      \
      target_ = (CUresult(*) parameters)target_of(#symbol);                                                            \
    return target_ ? target_ arguments : CUDA_ERROR_NO_DEVICE;                                                         \
  }
#define GASAN_DRIVER_CALL(name, symbol, handler, stream, arguments, ...) PASS(symbol, (__VA_ARGS__), arguments)
#define GASAN_DOOR_CALL(name, symbol, handler, stream, arguments, ...) PASS(symbol, (__VA_ARGS__), arguments)
#define GASAN_DOOR_CALL_PLAIN(name, symbol, handler) PASS(symbol, (void), ())
#include "gasan_rt/calls/driver_calls.inc"
#include "gasan_rt/door/door_calls.inc"
