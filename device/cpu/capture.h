/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream capture: work for a capturing stream becomes nodes of a graph and is not executed.
 *
 * A lane is a stream in a capture: the stream that began the capture, or a stream that waited for an event of another
 * lane. A lane's tips are the nodes on which its next node will depend.
 *
 * Any thread. The graphs' lock guards all data. The callers of begin, end, info, set_tips, graph, add, record and leave
 * must have it; the other functions lock it. */
#ifndef GASAN_DEVICE_CPU_CAPTURE_H
#define GASAN_DEVICE_CPU_CAPTURE_H

#include "device/cpu/graph.h"

struct gasan_cpu_lane;

/* Returns true if any stream captures. Takes no lock. */
bool gasan_cpu_capture_any(void);

/* Returns the lane in which the stream's work is captured; the lock then stays locked until gasan_cpu_capture_add,
 * _record or _leave. NULL: the work is not captured, and the caller must execute it, or refuse it if *error is not
 * cudaSuccess. */
struct gasan_cpu_lane *gasan_cpu_capture_enter(cudaStream_t stream, cudaError_t *error);
/* Notes and returns the error. Unlocks the lock. */
cudaError_t gasan_cpu_capture_leave(cudaError_t error);
/* Adds a node to the lane, fills in *params, and unlocks the lock. If `error`, the result of making the parameters, is
 * not cudaSuccess, adds nothing and returns `error`. */
cudaError_t gasan_cpu_capture_add(struct gasan_cpu_lane *lane, cudaError_t error, struct cudaGraphNodeParams *params,
                                  const cudaLaunchAttribute *attributes, unsigned attribute_count);
/* Returns the graph of the lane's capture. */
struct CUgraph_st *gasan_cpu_capture_graph(const struct gasan_cpu_lane *lane);

/* Check a call that is not captured. If a capture forbids the call, they invalidate the capture and return the call's
 * error; otherwise they return cudaSuccess. stream: for a call that waits for a stream or queries it. device: for a
 * call that waits for the device. unsafe: for a call that may wait internally, like cudaMalloc. */
cudaError_t gasan_cpu_capture_forbids_stream(cudaStream_t stream);
cudaError_t gasan_cpu_capture_forbids_device(void);
cudaError_t gasan_cpu_capture_forbids_unsafe(void);

/* Begins a capture into `graph` (NULL: a new graph). The first node will depend on the tips. */
cudaError_t gasan_cpu_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, struct CUgraph_st *graph,
                                    const struct gasan_cpu_edges *tips);
/* Ends the capture that began in the stream. *graph is NULL after an error. */
cudaError_t gasan_cpu_capture_end(cudaStream_t stream, struct CUgraph_st **graph);
/* Must be called when the stream is destroyed. */
void gasan_cpu_capture_forget_stream(cudaStream_t stream);

struct gasan_cpu_capture_info {
  enum cudaStreamCaptureStatus status;
  uint64_t id;
  struct CUgraph_st *graph;
  const struct gasan_cpu_edges *tips;
};
/* Describes the stream's capture. Returns cudaErrorStreamCaptureImplicit if the stream is the legacy stream and work in
 * it would disturb a capture. */
cudaError_t gasan_cpu_capture_info(cudaStream_t stream, struct gasan_cpu_capture_info *info);
/* Adds to the tips of a capturing stream, or replaces them. */
cudaError_t gasan_cpu_capture_set_tips(cudaStream_t stream, const struct gasan_cpu_edges *tips, bool replace);
/* Sets the calling thread's mode. Returns the previous mode. */
enum cudaStreamCaptureMode gasan_cpu_capture_exchange_mode(enum cudaStreamCaptureMode mode);

/* Makes the event stand for the lane's tips. Unlocks the lock. */
cudaError_t gasan_cpu_capture_record(struct gasan_cpu_lane *lane, cudaEvent_t event);
/* Captures a stream's wait for an event. Returns true if the call is complete; its result is *error. Returns false if
 * neither stream nor event belongs to a capture. */
bool gasan_cpu_capture_waits(cudaStream_t stream, cudaEvent_t event, bool external, cudaError_t *error);
/* Must be called when the event is recorded outside captures, or destroyed. */
void gasan_cpu_capture_forget_event(cudaEvent_t event);
/* Returns true if the event was recorded in a capture that has not ended. */
bool gasan_cpu_capture_has_event(cudaEvent_t event);

#endif
