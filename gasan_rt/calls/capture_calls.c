/* Stream capture: where it begins and ends. */
#include <cuda_runtime_api.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/free.h"

static cudaError_t began(cudaError_t error, cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  if (error == cudaSuccess)
    gasan_capture_begin(stream, mode);
  return error;
}

/* A capture that failed ends, too: CUDA gives the error here and the stream is as before. Only a call by the wrong
 * thread leaves it going on. */
static cudaError_t ended(cudaError_t error, cudaStream_t stream) {
  if (error != cudaErrorStreamCaptureWrongThread && gasan_capture_end(stream))
    gasan_memory_free_kept();
  return error;
}

#define BEGIN(name)                                                                                                    \
  EXPORT cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode);                                       \
  EXPORT cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode) {                                      \
    return began(GASAN_REAL(name)(stream, mode), stream, mode);                                                        \
  }
BEGIN(cudaStreamBeginCapture)
BEGIN(cudaStreamBeginCapture_ptsz)

#define BEGIN_TO_GRAPH(name)                                                                                           \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,                 \
                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode);              \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,                 \
                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode) {             \
    return began(GASAN_REAL(name)(stream, graph, dependencies, edges, count, mode), stream, mode);                     \
  }
BEGIN_TO_GRAPH(cudaStreamBeginCaptureToGraph)
BEGIN_TO_GRAPH(cudaStreamBeginCaptureToGraph_ptsz)

#define END(name)                                                                                                      \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t *graph);                                                    \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t *graph) {                                                   \
    return ended(GASAN_REAL(name)(stream, graph), stream);                                                             \
  }
END(cudaStreamEndCapture)
END(cudaStreamEndCapture_ptsz)
