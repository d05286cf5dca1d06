/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits, queries and stream capture. */
#include "gasan_rt/door/door_calls.h"

CUresult gasan_door_call_ctx_synchronize(struct gasan_driver_call *call) {
  return (CUresult)gasan_call_device_synchronize(GASAN_AS_RUNTIME_CALL(call));
}

CUresult gasan_door_call_stream_synchronize(struct gasan_driver_call *call, CUstream stream) {
  return (CUresult)gasan_call_stream_wait(GASAN_AS_RUNTIME_CALL(call), stream);
}

/* A query that finds all work complete is a wait. */
CUresult gasan_door_call_stream_query(struct gasan_driver_call *call, CUstream stream) {
  return (CUresult)gasan_call_stream_wait(GASAN_AS_RUNTIME_CALL(call), stream);
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
