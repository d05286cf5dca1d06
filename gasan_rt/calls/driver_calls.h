/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The intercepted calls of the driver API, and libcuda's own functions, from the table driver_calls.inc. Any thread; no
 * lock. */
#ifndef GASAN_RT_DRIVER_CALLS_H
#define GASAN_RT_DRIVER_CALLS_H

#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>
#include <stdatomic.h>

#include "device/cuda/cuda.h"
#include "gasan_rt/calls/calls.h"

/* A symbol of libcuda that the program calls. There is one object for each symbol; it is never freed. */
struct gasan_driver_call {
  const char *api, *symbol;
  enum gasan_default_stream default_stream;
  void *_Atomic real; /* libcuda's own function, once looked up */
};

/* Returns libcuda's function with this symbol. If libcuda lacks it, returns a function that returns
 * CUDA_ERROR_NO_DEVICE. */
void *gasan_driver_target(const char *symbol);

static inline void *gasan_driver_call_target(struct gasan_driver_call *call) {
  void *target = atomic_load(&call->real);
  if (target)
    return target;
  target = gasan_driver_target(call->symbol);
  atomic_store(&call->real, target);
  return target;
}

/* Returns libcuda's own function with the call's symbol and the type of `like`. */
#define GASAN_DRIVER_REAL(call, like) ((__typeof__(&(like)))gasan_driver_call_target(call))

/* The driver has the same names for the default streams as the runtime. */
static inline CUstream gasan_driver_call_stream(const struct gasan_driver_call *call, CUstream stream) {
  return stream || call->default_stream == GASAN_STREAM_LEGACY ? stream : cudaStreamPerThread;
}

/* Replaces *function by ours if we intercept the driver's function `name` of that CUDA version with this default
 * stream. Must be called for each function that the program gets from the driver. */
void gasan_driver_calls_replace(const char *name, void **function, int version, enum gasan_default_stream stream);

/* Returns our function for a symbol of libcuda, or NULL. */
void *gasan_driver_export(const char *symbol);
/* Makes gasan_driver_calls_replace ask `find` too. Called while the library is loaded. */
void gasan_driver_calls_add(void *(*find)(const char *name, int version, enum gasan_default_stream stream));

/* Initialises a call of the runtime API whose function has the parameters of the driver's. The two APIs share the
 * numbers of errors, flags and default streams, and the handles. */
#define GASAN_AS_RUNTIME_CALL(call)                                                                                    \
  (&(struct gasan_call){(call)->api, (call)->default_stream, gasan_driver_call_target(call)})

/* The handlers, gasan_driver_call_<handler>. */
#define GASAN_DRIVER_CALL(name, symbol, handler, stream, arguments, ...)                                               \
  CUresult gasan_driver_call_##handler(struct gasan_driver_call *call, __VA_ARGS__);
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL

#endif
