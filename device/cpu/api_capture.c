/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that begin, query and end stream capture. */
#include <stdlib.h>

#include "device/cpu/api_graph.h"
#include "device/cpu/capture.h"
#include "device/cpu/grow.h"

/* Converts the program's nodes to edges. The caller frees the items. On failure, returns false and sets *error. */
static bool read_tips(struct gasan_cpu_edges *tips, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                      size_t count, cudaError_t *error) {
  *error = count && !nodes ? cudaErrorInvalidValue : cudaSuccess;
  for (size_t i = 0; i < count && *error == cudaSuccess; i++) {
    if (!GASAN_VALID(nodes[i], GRAPH_NODE))
      *error = cudaErrorInvalidValue;
    else if (!gasan_cpu_grow(&tips->items, i, &tips->room, sizeof *tips->items))
      *error = cudaErrorMemoryAllocation;
    else
      tips->items[tips->count++] = (struct gasan_cpu_edge){nodes[i], data ? data[i] : (cudaGraphEdgeData){0}};
  }
  return *error == cudaSuccess;
}

cudaError_t gasan_cpu_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                                                    size_t count, enum cudaStreamCaptureMode mode) {
  struct gasan_cpu_edges tips = {0};
  cudaError_t error;
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER(GASAN_VALID(graph, GRAPH) && !graph->captured_into &&
                    (unsigned)mode <= cudaStreamCaptureModeRelaxed);
  if (read_tips(&tips, nodes, data, count, &error))
    for (size_t i = 0; i < count; i++)
      if (nodes[i]->graph != graph)
        error = cudaErrorInvalidValue;
  if (error == cudaSuccess)
    error = gasan_cpu_capture_begin(stream, mode, graph, &tips);
  free(tips.items);
  return gasan_cpu_graph_leave(error);
}

cudaError_t gasan_cpu_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  static const struct gasan_cpu_edges none;
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER((unsigned)mode <= cudaStreamCaptureModeRelaxed);
  return gasan_cpu_graph_leave(gasan_cpu_capture_begin(stream, mode, NULL, &none));
}

cudaError_t gasan_cpu_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER(graph);
  return gasan_cpu_graph_leave(gasan_cpu_capture_end(stream, graph));
}

cudaError_t gasan_cpu_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  struct gasan_cpu_capture_info info = {.status = cudaStreamCaptureStatusNone};
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER(status);
  cudaError_t error = gasan_cpu_capture_info(stream, &info);
  *status = info.status;
  return gasan_cpu_graph_leave(error);
}

/* Returns the tips as two arrays, which are valid until the calling thread's next query. */
static cudaError_t answer_tips(const struct gasan_cpu_edges *tips, const cudaGraphNode_t **nodes,
                               const cudaGraphEdgeData **data, size_t *count) {
  static __thread cudaGraphNode_t *node_room;
  static __thread cudaGraphEdgeData *data_room;
  static __thread size_t nodes_fit, data_fit;
  for (size_t i = 0; i < tips->count; i++) {
    if (!gasan_cpu_grow(&node_room, i, &nodes_fit, sizeof *node_room) ||
        !gasan_cpu_grow(&data_room, i, &data_fit, sizeof *data_room))
      return cudaErrorMemoryAllocation;
    node_room[i] = tips->items[i].node;
    data_room[i] = tips->items[i].data;
    if (nodes && !data && (data_room[i].from_port || data_room[i].to_port || data_room[i].type))
      return cudaErrorLossyQuery;
  }
  if (nodes)
    *nodes = node_room;
  if (data)
    *data = data_room;
  if (count)
    *count = tips->count;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
                                               size_t *count) {
  struct gasan_cpu_capture_info info;
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER(status && (nodes || !data));
  cudaError_t error = gasan_cpu_capture_info(stream, &info);
  *status = info.status;
  if (error != cudaSuccess || info.status != cudaStreamCaptureStatusActive)
    return gasan_cpu_graph_leave(error);
  if (id)
    *id = info.id;
  if (graph)
    *graph = info.graph;
  return gasan_cpu_graph_leave(answer_tips(info.tips, nodes, data, count));
}

cudaError_t gasan_cpu_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                          const cudaGraphEdgeData *data, size_t count, unsigned flags) {
  struct gasan_cpu_edges tips = {0};
  cudaError_t error;
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  GASAN_GRAPH_ENTER(flags <= cudaStreamSetCaptureDependencies);
  if (read_tips(&tips, nodes, data, count, &error))
    error = gasan_cpu_capture_set_tips(stream, &tips, flags == cudaStreamSetCaptureDependencies);
  free(tips.items);
  return gasan_cpu_graph_leave(error);
}

cudaError_t gasan_cpu_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *mode = gasan_cpu_capture_exchange_mode(*mode);
  return cudaSuccess;
}
