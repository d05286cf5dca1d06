/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream capture: while a stream captures, work given to it becomes nodes of a graph instead of being done.
 *
 * A lane is a stream in a capture: the one that began it, or one that waited for an event recorded in another lane. Its
 * tips are the nodes that its next node depends on. Any thread; the graphs' lock guards all of it. */
#ifndef GASAN_DEVICE_CPU_CAPTURE_H
#define GASAN_DEVICE_CPU_CAPTURE_H

#include "device/cpu/graph.h"

struct gasan_cpu_lane;

/* Does any stream capture? No lock. */
bool gasan_cpu_capture_any(void);

/* The lane that work for the stream goes to, with the lock held: gasan_cpu_capture_add or _leave gives it back. NULL:
 * none; the work is done as always, or, if *error is not cudaSuccess, refused. */
struct gasan_cpu_lane *gasan_cpu_capture_enter(cudaStream_t stream, cudaError_t *error);
cudaError_t gasan_cpu_capture_leave(cudaError_t error);
/* A node more; `error` is what making the parameters gave. On failure nothing is added. *params gets what was made. */
cudaError_t gasan_cpu_capture_add(struct gasan_cpu_lane *lane, cudaError_t error, struct cudaGraphNodeParams *params,
                                  const cudaLaunchAttribute *attributes, unsigned attribute_count);
/* The graph that the lane's capture makes. */
struct CUgraph_st *gasan_cpu_capture_graph(const struct gasan_cpu_lane *lane);

/* The call's answer while captures go on; what may not be done invalidates them. */
cudaError_t gasan_cpu_capture_forbids_stream(cudaStream_t stream); /* waits for the stream, or asks how far it is */
cudaError_t gasan_cpu_capture_forbids_device(void);                /* waits for the device */
cudaError_t gasan_cpu_capture_forbids_unsafe(void);                /* may wait inside: cudaMalloc and the like */

cudaError_t gasan_cpu_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, struct CUgraph_st *graph,
                                    const struct gasan_cpu_edges *tips);
cudaError_t gasan_cpu_capture_end(cudaStream_t stream, struct CUgraph_st **graph);
/* The stream is destroyed. */
void gasan_cpu_capture_forget_stream(cudaStream_t stream);

struct gasan_cpu_capture_info {
  enum cudaStreamCaptureStatus status;
  uint64_t id;
  struct CUgraph_st *graph;
  const struct gasan_cpu_edges *tips;
};
/* With the lock held. cudaErrorStreamCaptureImplicit: the stream is the legacy one and a capture would be disturbed. */
cudaError_t gasan_cpu_capture_info(cudaStream_t stream, struct gasan_cpu_capture_info *info);
/* Adds to the tips of a capturing stream or replaces them. */
cudaError_t gasan_cpu_capture_set_tips(cudaStream_t stream, const struct gasan_cpu_edges *tips, bool replace);
/* Sets the calling thread's mode; returns the former one. */
enum cudaStreamCaptureMode gasan_cpu_capture_exchange_mode(enum cudaStreamCaptureMode mode);

/* Events. record: the event now means the lane's tips. waits: true, the call is over, with *error as its answer. */
cudaError_t gasan_cpu_capture_record(struct gasan_cpu_lane *lane, cudaEvent_t event);
bool gasan_cpu_capture_waits(cudaStream_t stream, cudaEvent_t event, bool external, cudaError_t *error);
/* The event is recorded outside any capture, or destroyed. */
void gasan_cpu_capture_forget_event(cudaEvent_t event);
bool gasan_cpu_capture_has_event(cudaEvent_t event);

#endif
