/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that begin and end stream capture. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/free.h"

static cudaError_t began(cudaError_t error, cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  if (error == cudaSuccess)
    gasan_capture_begin(stream, mode);
  return error;
}

/* Handles the end of a capture. A failed capture ends, too, and CUDA returns its error here. Only a call by the wrong
 * thread leaves the capture running. */
static cudaError_t ended(cudaError_t error, cudaStream_t stream) {
  if (error != cudaErrorStreamCaptureWrongThread && gasan_capture_end(stream))
    gasan_memory_free_deferred();
  return error;
}

cudaError_t gasan_call_stream_begin_capture(struct gasan_call *call, cudaStream_t stream,
                                            enum cudaStreamCaptureMode mode) {
  return began(GASAN_CALL_REAL(call, cudaStreamBeginCapture)(stream, mode), stream, mode);
}

cudaError_t gasan_call_stream_begin_capture_to_graph(struct gasan_call *call, cudaStream_t stream, cudaGraph_t graph,
                                                     const cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *edges, size_t count,
                                                     enum cudaStreamCaptureMode mode) {
  return began(GASAN_CALL_REAL(call, cudaStreamBeginCaptureToGraph)(stream, graph, dependencies, edges, count, mode),
               stream, mode);
}

cudaError_t gasan_call_stream_end_capture(struct gasan_call *call, cudaStream_t stream, cudaGraph_t *graph) {
  return ended(GASAN_CALL_REAL(call, cudaStreamEndCapture)(stream, graph), stream);
}
