/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/capture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/grow.h"

struct capture {
  uint64_t id;
  struct CUgraph_st *graph;
  bool own_graph; /* false: the graph is an argument of cudaStreamBeginCaptureToGraph */
  bool invalid;
  enum cudaStreamCaptureMode mode;
  pthread_t thread; /* the thread that began it */
  const struct gasan_cpu_lane *origin;
};

struct gasan_cpu_lane {
  cudaStream_t stream;
  pthread_t thread; /* for cudaStreamPerThread: its thread */
  struct capture *capture;
  struct gasan_cpu_edges tips;
  struct gasan_cpu_lane *next;
};

struct captured_event {
  cudaEvent_t event;
  struct capture *capture;
  struct gasan_cpu_edges tips;
  struct captured_event *next;
};

static struct gasan_cpu_lane *lanes;
static struct captured_event *events;
static _Atomic unsigned captures;
static uint64_t last_id;
static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool gasan_cpu_capture_any(void) {
  return atomic_load_explicit(&captures, memory_order_relaxed) != 0;
}

static bool is_legacy(cudaStream_t stream) {
  return stream == NULL || stream == cudaStreamLegacy;
}

static struct gasan_cpu_lane *find_lane(cudaStream_t stream) {
  struct gasan_cpu_lane *lane = lanes;
  while (lane &&
         (lane->stream != stream || (stream == cudaStreamPerThread && !pthread_equal(lane->thread, pthread_self()))))
    lane = lane->next;
  return lane;
}

/* Returns the first lane, from this one on, whose stream the legacy stream would wait for: all streams except
 * non-blocking ones. Captured work is not executed, so such a wait is an error. */
static struct gasan_cpu_lane *next_blocking(struct gasan_cpu_lane *lane) {
  unsigned flags = 0;
  while (lane && lane->stream != cudaStreamPerThread &&
         gasan_cpu_cudaStreamGetFlags(lane->stream, &flags) == cudaSuccess && flags & cudaStreamNonBlocking)
    lane = lane->next;
  return lane;
}

static cudaError_t disturbs(cudaStream_t stream) {
  return is_legacy(stream) && next_blocking(lanes) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

static cudaError_t refuse_implicit(cudaStream_t stream) {
  cudaError_t error = disturbs(stream);
  if (error != cudaSuccess)
    for (struct gasan_cpu_lane *lane = lanes; (lane = next_blocking(lane)); lane = lane->next)
      lane->capture->invalid = true;
  return error;
}

struct gasan_cpu_lane *gasan_cpu_capture_enter(cudaStream_t stream, cudaError_t *error) {
  *error = cudaSuccess;
  if (!gasan_cpu_capture_any())
    return NULL;
  gasan_cpu_graph_lock();
  struct gasan_cpu_lane *lane = find_lane(stream);
  if (!lane)
    *error = refuse_implicit(stream);
  else if (lane->capture->invalid)
    *error = cudaErrorStreamCaptureInvalidated;
  if (lane && *error == cudaSuccess)
    return lane;
  gasan_cpu_capture_leave(*error);
  return NULL;
}

cudaError_t gasan_cpu_capture_leave(cudaError_t error) {
  gasan_cpu_graph_unlock();
  return gasan_cpu_result(error);
}

struct CUgraph_st *gasan_cpu_capture_graph(const struct gasan_cpu_lane *lane) {
  return lane->capture->graph;
}

static bool add_tip(struct gasan_cpu_edges *tips, struct gasan_cpu_edge tip) {
  for (size_t i = 0; i < tips->count; i++)
    if (tips->items[i].node == tip.node)
      return true;
  if (!gasan_cpu_grow(&tips->items, tips->count, &tips->room, sizeof *tips->items))
    return false;
  tips->items[tips->count++] = tip;
  return true;
}

static bool add_tips(struct gasan_cpu_edges *tips, const struct gasan_cpu_edges *more) {
  bool ok = true;
  for (size_t i = 0; i < more->count && ok; i++)
    ok = add_tip(tips, more->items[i]);
  return ok;
}

cudaError_t gasan_cpu_capture_add(struct gasan_cpu_lane *lane, cudaError_t error, struct cudaGraphNodeParams *params,
                                  const cudaLaunchAttribute *attributes, unsigned attribute_count) {
  struct CUgraph_st *graph = lane->capture->graph;
  struct CUgraphNode_st *node;
  struct gasan_cpu_work work = {0};
  if (error == cudaSuccess)
    error = gasan_cpu_work_make(&work, graph, params);
  for (unsigned i = 0; i < attribute_count && error == cudaSuccess; i++)
    error = gasan_cpu_work_attribute(&work, attributes[i].id, &attributes[i].val);
  if (error == cudaSuccess) {
    *params = work.params;
    error = gasan_cpu_graph_add(graph, lane->tips.items, lane->tips.count, &work, &node);
  }
  if (error == cudaErrorStreamCaptureUnsupported)
    lane->capture->invalid = true;
  if (error != cudaSuccess) {
    gasan_cpu_work_drop(&work);
    return gasan_cpu_capture_leave(error);
  }
  lane->tips.count = 0;
  if (!add_tip(&lane->tips, (struct gasan_cpu_edge){.node = node}))
    lane->capture->invalid = true;
  return gasan_cpu_capture_leave(cudaSuccess);
}

cudaError_t gasan_cpu_capture_forbids_stream(cudaStream_t stream) {
  cudaError_t error;
  struct gasan_cpu_lane *lane = gasan_cpu_capture_enter(stream, &error);
  if (!lane)
    return error;
  lane->capture->invalid = true;
  return gasan_cpu_capture_leave(cudaErrorStreamCaptureUnsupported);
}

/* Returns true if this capture forbids the calling thread to make unsafe calls. */
static bool concerns_thread(const struct capture *capture) {
  if (pthread_equal(capture->thread, pthread_self()))
    return capture->mode != cudaStreamCaptureModeRelaxed;
  return capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
}

cudaError_t gasan_cpu_capture_forbids_device(void) {
  if (!gasan_cpu_capture_any())
    return cudaSuccess;
  gasan_cpu_graph_lock();
  for (struct gasan_cpu_lane *lane = lanes; lane; lane = lane->next)
    if (concerns_thread(lane->capture))
      lane->capture->invalid = true;
  return gasan_cpu_capture_leave(cudaErrorStreamCaptureUnsupported);
}

cudaError_t gasan_cpu_capture_forbids_unsafe(void) {
  cudaError_t error = cudaSuccess;
  if (!gasan_cpu_capture_any() || thread_mode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  gasan_cpu_graph_lock();
  for (struct gasan_cpu_lane *lane = lanes; lane; lane = lane->next)
    if (concerns_thread(lane->capture)) {
      lane->capture->invalid = true;
      error = cudaErrorStreamCaptureUnsupported;
    }
  return gasan_cpu_capture_leave(error);
}

enum cudaStreamCaptureMode gasan_cpu_capture_exchange_mode(enum cudaStreamCaptureMode mode) {
  enum cudaStreamCaptureMode old = thread_mode;
  thread_mode = mode;
  return old;
}

static struct gasan_cpu_lane *new_lane(struct capture *capture, cudaStream_t stream,
                                       const struct gasan_cpu_edges *tips) {
  struct gasan_cpu_lane *lane = calloc(1, sizeof *lane);
  if (!lane || !add_tips(&lane->tips, tips)) {
    if (lane)
      free(lane->tips.items);
    free(lane);
    return NULL;
  }
  lane->stream = stream;
  lane->thread = pthread_self();
  lane->capture = capture;
  lane->next = lanes;
  lanes = lane;
  return lane;
}

cudaError_t gasan_cpu_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, struct CUgraph_st *graph,
                                    const struct gasan_cpu_edges *tips) {
  if (is_legacy(stream))
    return cudaErrorStreamCaptureUnsupported;
  if (find_lane(stream))
    return cudaErrorIllegalState;
  struct capture *capture = calloc(1, sizeof *capture);
  struct CUgraph_st *into = graph ? graph : gasan_cpu_graph_new();
  struct gasan_cpu_lane *lane = capture && into ? new_lane(capture, stream, tips) : NULL;
  if (!lane) {
    if (into && !graph)
      gasan_cpu_graph_drop(into);
    free(capture);
    return cudaErrorMemoryAllocation;
  }
  into->captured_into = true;
  *capture = (struct capture){++last_id, into, !graph, false, mode, pthread_self(), lane};
  atomic_fetch_add(&captures, 1);
  return cudaSuccess;
}

static void drop_lane(struct gasan_cpu_lane **link) {
  struct gasan_cpu_lane *lane = *link;
  *link = lane->next;
  free(lane->tips.items);
  free(lane);
}

static void drop_event(struct captured_event **link) {
  struct captured_event *event = *link;
  *link = event->next;
  free(event->tips.items);
  free(event);
}

static void drop_capture(struct capture *capture, bool keep_graph) {
  for (struct gasan_cpu_lane **link = &lanes; *link;)
    if ((*link)->capture == capture)
      drop_lane(link);
    else
      link = &(*link)->next;
  for (struct captured_event **link = &events; *link;)
    if ((*link)->capture == capture)
      drop_event(link);
    else
      link = &(*link)->next;
  capture->graph->captured_into = false;
  if (!keep_graph && capture->own_graph)
    gasan_cpu_graph_drop(capture->graph);
  free(capture);
  atomic_fetch_sub(&captures, 1);
}

/* Returns true if all work that was captured in this lane precedes the tips of the lane that began the capture. */
static bool is_joined(const struct gasan_cpu_lane *lane) {
  const struct gasan_cpu_edges *end = &lane->capture->origin->tips;
  for (size_t i = 0; i < lane->tips.count; i++)
    if (!gasan_cpu_graph_precedes(lane->tips.items[i].node, end))
      return false;
  return true;
}

static cudaError_t check_joined(const struct capture *capture) {
  for (const struct gasan_cpu_lane *lane = lanes; lane; lane = lane->next)
    if (lane->capture == capture && !is_joined(lane))
      return cudaErrorStreamCaptureUnjoined;
  return cudaSuccess;
}

cudaError_t gasan_cpu_capture_end(cudaStream_t stream, struct CUgraph_st **graph) {
  *graph = NULL;
  struct gasan_cpu_lane *lane = find_lane(stream);
  if (!lane)
    return cudaErrorIllegalState;
  struct capture *capture = lane->capture;
  if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
    return cudaErrorStreamCaptureWrongThread;
  if (capture->origin != lane)
    return cudaErrorStreamCaptureUnmatched;
  cudaError_t error = capture->invalid ? cudaErrorStreamCaptureInvalidated : check_joined(capture);
  if (error == cudaSuccess)
    *graph = capture->graph;
  drop_capture(capture, error == cudaSuccess);
  return error;
}

void gasan_cpu_capture_forget_stream(cudaStream_t stream) {
  if (!gasan_cpu_capture_any())
    return;
  gasan_cpu_graph_lock();
  struct gasan_cpu_lane **link = &lanes, *lane = find_lane(stream);
  while (*link != lane)
    link = &(*link)->next;
  if (lane && lane == lane->capture->origin) {
    drop_capture(lane->capture, false);
  } else if (lane) {
    lane->capture->invalid = lane->capture->invalid || !is_joined(lane);
    drop_lane(link);
  }
  gasan_cpu_graph_unlock();
}

cudaError_t gasan_cpu_capture_info(cudaStream_t stream, struct gasan_cpu_capture_info *info) {
  const struct gasan_cpu_lane *lane = find_lane(stream);
  *info = (struct gasan_cpu_capture_info){.status = cudaStreamCaptureStatusNone};
  if (!lane)
    return disturbs(stream);
  info->status = lane->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  info->id = lane->capture->id;
  info->graph = lane->capture->graph;
  info->tips = &lane->tips;
  return cudaSuccess;
}

cudaError_t gasan_cpu_capture_set_tips(cudaStream_t stream, const struct gasan_cpu_edges *tips, bool replace) {
  struct gasan_cpu_lane *lane = find_lane(stream);
  if (!lane)
    return cudaErrorIllegalState;
  if (lane->capture->invalid)
    return cudaErrorStreamCaptureInvalidated;
  for (size_t i = 0; i < tips->count; i++)
    if (tips->items[i].node->graph != lane->capture->graph)
      return cudaErrorInvalidValue;
  if (replace)
    lane->tips.count = 0;
  return add_tips(&lane->tips, tips) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static struct captured_event **find_event(cudaEvent_t event) {
  struct captured_event **link = &events;
  while (*link && (*link)->event != event)
    link = &(*link)->next;
  return link;
}

cudaError_t gasan_cpu_capture_record(struct gasan_cpu_lane *lane, cudaEvent_t event) {
  struct captured_event **link = find_event(event);
  if (*link)
    drop_event(link);
  struct captured_event *made = calloc(1, sizeof *made);
  if (!made || !add_tips(&made->tips, &lane->tips)) {
    if (made)
      free(made->tips.items);
    free(made);
    return gasan_cpu_capture_leave(cudaErrorMemoryAllocation);
  }
  made->event = event;
  made->capture = lane->capture;
  made->next = events;
  events = made;
  return gasan_cpu_capture_leave(cudaSuccess);
}

/* Captures the wait for an event that a capture has recorded. `lane` is the lane of the waiting stream: in the same
 * capture, in another one, or NULL if the stream does not capture. */
static cudaError_t join(struct gasan_cpu_lane *lane, cudaStream_t stream, const struct captured_event *event) {
  struct capture *capture = event->capture;
  if (capture->invalid || (lane && lane->capture->invalid))
    return cudaErrorStreamCaptureInvalidated;
  if (lane && lane->capture == capture)
    return add_tips(&lane->tips, &event->tips) ? cudaSuccess : cudaErrorMemoryAllocation;
  if (lane || is_legacy(stream)) {
    capture->invalid = true;
    if (lane)
      lane->capture->invalid = true;
    return lane ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureImplicit;
  }
  return new_lane(capture, stream, &event->tips) ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool gasan_cpu_capture_waits(cudaStream_t stream, cudaEvent_t event, bool external, cudaError_t *error) {
  if (!gasan_cpu_capture_any())
    return false;
  gasan_cpu_graph_lock();
  struct gasan_cpu_lane *lane = find_lane(stream);
  const struct captured_event *captured = *find_event(event);
  bool over = true;
  *error = cudaSuccess;
  if (lane && external && !lane->capture->invalid) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeWaitEvent, .eventWait = {event}};
    *error = gasan_cpu_capture_add(lane, cudaSuccess, &params, NULL, 0);
    return true;
  }
  if (captured) {
    *error = join(lane, stream, captured);
  } else if (lane) {
    *error = lane->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureIsolation;
    lane->capture->invalid = true;
  } else {
    *error = refuse_implicit(stream);
    over = *error != cudaSuccess;
  }
  gasan_cpu_capture_leave(*error);
  return over;
}

void gasan_cpu_capture_forget_event(cudaEvent_t event) {
  if (!gasan_cpu_capture_any())
    return;
  gasan_cpu_graph_lock();
  struct captured_event **link = find_event(event);
  if (*link)
    drop_event(link);
  gasan_cpu_graph_unlock();
}

bool gasan_cpu_capture_has_event(cudaEvent_t event) {
  if (!gasan_cpu_capture_any())
    return false;
  gasan_cpu_graph_lock();
  bool has = *find_event(event) != NULL;
  gasan_cpu_graph_unlock();
  return has;
}
