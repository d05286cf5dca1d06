/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The intercepted calls of the CUDA runtime API. calls.c defines the functions that the program calls; each forwards
 * its call to a handler in another file. The table calls.inc generates all of them. Any thread; no lock.
 *
 * The folder calls/ is the top of the runtime. It intercepts calls of the runtime API and of the driver API, checks
 * their arguments, makes the device's own call, and records its effects. Its only lock is the read-write lock `use` of
 * translated_call.c, which keeps a moving pool in place during a call. */
#ifndef GASAN_RT_CALLS_H
#define GASAN_RT_CALLS_H

#include <cuda_runtime_api.h>
#include <stdatomic.h>

#include "gasan_rt/core/runtime.h"

/* The stream that NULL stands for in a call. */
enum gasan_default_stream { GASAN_STREAM_LEGACY, GASAN_STREAM_THREAD };

/* A name of the API that the program calls. There is one object for each name; it is never freed. */
struct gasan_call {
  const char *api;
  enum gasan_default_stream default_stream;
  void *_Atomic real; /* the device's own function; NULL until it is looked up */
};

static inline void *gasan_call_target(struct gasan_call *call) {
  void *target = atomic_load(&call->real);
  if (target)
    return target;
  target = gasan_forward_target(call->api);
  atomic_store(&call->real, target);
  return target;
}

/* Returns the device's own function with the call's name and the type of `like`. Starts the runtime. */
#define GASAN_CALL_REAL(call, like) ((__typeof__(&(like)))gasan_call_target(call))

/* Returns the stream that the call's argument `stream` stands for. */
static inline cudaStream_t gasan_call_stream(const struct gasan_call *call, cudaStream_t stream) {
  return stream || call->default_stream == GASAN_STREAM_LEGACY ? stream : cudaStreamPerThread;
}

/* The handlers, gasan_call_<handler>. */
#define GASAN_CALL(name, result, handler, stream, arguments, ...)                                                      \
  result gasan_call_##handler(struct gasan_call *call, __VA_ARGS__);
#define GASAN_CALL_PLAIN(name, result, handler) result gasan_call_##handler(struct gasan_call *call);
#include "gasan_rt/calls/calls.inc"
#undef GASAN_CALL
#undef GASAN_CALL_PLAIN

#endif
