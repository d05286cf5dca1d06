/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the driver API that the runtime intercepts, and libcuda's own functions: what the table driver_calls.inc
 * makes of them. Any thread; no lock. */
#ifndef GASAN_RT_DRIVER_CALLS_H
#define GASAN_RT_DRIVER_CALLS_H

#define __CUDA_API_VERSION_INTERNAL /* every function by its symbol */
#include <cuda.h>
#include <stdatomic.h>

#include "device/cuda/cuda.h"
#include "gasan_rt/calls/calls.h"

/* Under which symbol the program called. One for each symbol; lives for ever. */
struct gasan_driver_call {
  const char *api, *symbol;
  enum gasan_default_stream default_stream;
  void *_Atomic real; /* libcuda's own function, once it was asked for */
};

/* libcuda's function of this symbol; one that says that there is no device stands in for a missing one. */
void *gasan_driver_target(const char *symbol);

static inline void *gasan_driver_call_target(struct gasan_driver_call *call) {
  void *target = atomic_load(&call->real);
  if (target)
    return target;
  target = gasan_driver_target(call->symbol);
  atomic_store(&call->real, target);
  return target;
}

/* libcuda's own function of the call's symbol, whose type is that of `like`. */
#define GASAN_DRIVER_REAL(call, like) ((__typeof__(&(like)))gasan_driver_call_target(call))

/* The runtime's names of the default streams are the driver's too. */
static inline CUstream gasan_driver_call_stream(const struct gasan_driver_call *call, CUstream stream) {
  return stream || call->default_stream == GASAN_STREAM_LEGACY ? stream : cudaStreamPerThread;
}

/* What the program gets from the driver for the function `name` of that CUDA version: puts ours in its place. */
void gasan_driver_calls_replace(const char *name, void **function, int version, bool per_thread);

/* The handlers. */
#define GASAN_DRIVER_CALL(name, symbol, handler, stream, arguments, ...)                                               \
  CUresult gasan_driver_call_##handler(struct gasan_driver_call *call, __VA_ARGS__);
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL

#endif
