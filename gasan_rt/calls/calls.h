/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the CUDA runtime API that the runtime intercepts: calls.c defines the functions that the program sees, and
 * hands each call to a handler in one of the other files. All of that comes from the table calls.inc. Any thread; no
 * lock. */
#ifndef GASAN_RT_CALLS_H
#define GASAN_RT_CALLS_H

#include <cuda_runtime_api.h>
#include <stdatomic.h>

#include "gasan_rt/core/runtime.h"

/* What the NULL stream means. */
enum gasan_default_stream { GASAN_STREAM_LEGACY, GASAN_STREAM_THREAD };

/* Under which name the program called. One for each name; lives for ever. */
struct gasan_call {
  const char *api;
  enum gasan_default_stream default_stream;
  void *_Atomic real; /* the device's own function, once it was asked for */
};

static inline void *gasan_call_target(struct gasan_call *call) {
  void *target = atomic_load(&call->real);
  if (target)
    return target;
  target = gasan_forward_target(call->api);
  atomic_store(&call->real, target);
  return target;
}

/* The device's own function of the call's name, whose type is that of `like`. Starts the runtime. */
#define GASAN_CALL_REAL(call, like) ((__typeof__(&(like)))gasan_call_target(call))

/* What `stream`, as it was given to the call, stands for. */
static inline cudaStream_t gasan_call_stream(const struct gasan_call *call, cudaStream_t stream) {
  return stream || call->default_stream == GASAN_STREAM_LEGACY ? stream : cudaStreamPerThread;
}

/* The handlers. */
#define GASAN_CALL(name, result, handler, stream, arguments, ...)                                                      \
  result gasan_call_##handler(struct gasan_call *call, __VA_ARGS__);
#define GASAN_CALL_PLAIN(name, result, handler) result gasan_call_##handler(struct gasan_call *call);
#include "gasan_rt/calls/calls.inc"
#undef GASAN_CALL
#undef GASAN_CALL_PLAIN

#endif
