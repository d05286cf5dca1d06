#include "gasan_rt/capture.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>

#include "gasan_rt/memory.h"
#include "gasan_rt/runtime.h"

static _Atomic int captures;

bool gasan_capture_active(void) {
  return atomic_load(&captures) > 0;
}

bool gasan_capture_in(void *stream) {
  if (!gasan_capture_active())
    return false;
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return GASAN_REAL(cudaStreamIsCapturing)(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

static cudaError_t began(cudaError_t error) {
  if (error == cudaSuccess)
    atomic_fetch_add(&captures, 1);
  return error;
}

/* A capture that failed ends, too: CUDA gives the error here and the stream is as before. */
static cudaError_t ended(cudaError_t error) {
  int before = atomic_load(&captures);
  while (before > 0 && !atomic_compare_exchange_weak(&captures, &before, before - 1)) {
  }
  if (before == 1)
    gasan_memory_free_kept();
  return error;
}

#define EXPORT __attribute__((visibility("default")))

#define BEGIN(name)                                                            \
  EXPORT cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode); \
  EXPORT cudaError_t name(cudaStream_t stream, enum cudaStreamCaptureMode mode) { \
    return began(GASAN_REAL(name)(stream, mode));                              \
  }
BEGIN(cudaStreamBeginCapture)
BEGIN(cudaStreamBeginCapture_ptsz)

#define BEGIN_TO_GRAPH(name)                                                                                \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,      \
                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode);   \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,      \
                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode) {  \
    return began(GASAN_REAL(name)(stream, graph, dependencies, edges, count, mode));                        \
  }
BEGIN_TO_GRAPH(cudaStreamBeginCaptureToGraph)
BEGIN_TO_GRAPH(cudaStreamBeginCaptureToGraph_ptsz)

#define END(name)                                                  \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t *graph); \
  EXPORT cudaError_t name(cudaStream_t stream, cudaGraph_t *graph) { \
    return ended(GASAN_REAL(name)(stream, graph));                 \
  }
END(cudaStreamEndCapture)
END(cudaStreamEndCapture_ptsz)
