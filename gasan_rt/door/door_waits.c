/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits, queries and stream capture. */
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/pending_frees.h"

CUresult gasan_door_call_ctx_synchronize(struct gasan_driver_call *call) {
  return (CUresult)gasan_call_device_synchronize(GASAN_AS_RUNTIME_CALL(call));
}

/* The form of CUDA 13 names the context; NULL: the current one. Of others it is not known whether they are a device's.
 */
CUresult gasan_door_call_ctx_synchronize_v2(struct gasan_driver_call *call, CUcontext context) {
  struct gasan_rt_device *state = context ? NULL : gasan_rt_current();
  const uint64_t launch = state ? gasan_canary_watch_device_waits(state) : 0;
  const bool begun = state && gasan_canary_watch_wait_begins(state);
  CUresult result = GASAN_DRIVER_REAL(call, cuCtxSynchronize_v2)(context);
  if (state)
    gasan_canary_watch_wait_ended(state, begun);
  if (state && result == CUDA_SUCCESS)
    gasan_canary_watch_device_waited(state, launch);
  gasan_rt_each_device(gasan_rt_hooks()->peek);
  gasan_device_error_seen(result);
  gasan_pending_frees_poll();
  return result;
}

CUresult gasan_door_call_stream_synchronize(struct gasan_driver_call *call, CUstream stream) {
  return (CUresult)gasan_call_stream_wait(GASAN_AS_RUNTIME_CALL(call), stream);
}

CUresult gasan_door_call_stream_query(struct gasan_driver_call *call, CUstream stream) {
  return (CUresult)gasan_call_stream_query(GASAN_AS_RUNTIME_CALL(call), stream);
}

CUresult gasan_door_call_event_synchronize(struct gasan_driver_call *call, CUevent event) {
  return (CUresult)gasan_call_event_wait(GASAN_AS_RUNTIME_CALL(call), event);
}

CUresult gasan_door_call_event_query(struct gasan_driver_call *call, CUevent event) {
  return (CUresult)gasan_call_event_wait(GASAN_AS_RUNTIME_CALL(call), event);
}

CUresult gasan_door_call_stream_begin_capture(struct gasan_driver_call *call, CUstream stream,
                                              CUstreamCaptureMode mode) {
  return (CUresult)gasan_call_stream_begin_capture(GASAN_AS_RUNTIME_CALL(call), stream,
                                                   (enum cudaStreamCaptureMode)mode);
}

CUresult gasan_door_call_stream_begin_capture_to_graph(struct gasan_driver_call *call, CUstream stream, CUgraph graph,
                                                       const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                                       size_t count, CUstreamCaptureMode mode) {
  return (CUresult)gasan_call_stream_begin_capture_to_graph(GASAN_AS_RUNTIME_CALL(call), stream, graph, dependencies,
                                                            (const cudaGraphEdgeData *)edges, count,
                                                            (enum cudaStreamCaptureMode)mode);
}

CUresult gasan_door_call_stream_end_capture(struct gasan_driver_call *call, CUstream stream, CUgraph *graph) {
  return (CUresult)gasan_call_stream_end_capture(GASAN_AS_RUNTIME_CALL(call), stream, graph);
}

/* A stream that is destroyed while it captures ends its capture. */
CUresult gasan_door_call_stream_destroy(struct gasan_driver_call *call, CUstream stream) {
  const bool captures = gasan_capture_in(stream);
  gasan_canary_watch_forget_stream(stream);
  CUresult result = GASAN_DRIVER_REAL(call, cuStreamDestroy_v2)(stream);
  if (captures && result == CUDA_SUCCESS && gasan_capture_end(stream))
    gasan_memory_free_deferred();
  return result;
}
