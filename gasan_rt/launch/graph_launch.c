/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/graph_launch.h"

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/access_trace.h"
#include "gasan_rt/memory/canary_table.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* A launch of a graph. The graph's kernels may run on any device, so the launch uploads the tables of all devices. */
struct graph_launch {
  struct gasan_rt_device *state;
  cudaStream_t meant; /* the stream that the call's stream stands for */
  struct gasan_rt_device *uploaded[GASAN_RT_DEVICES];
  int count;
};

static void end_uploads(struct graph_launch *launch) {
  while (launch->count > 0)
    gasan_upload_after_launch(launch->uploaded[--launch->count]);
}

/* Returns an error if the graph must not be launched. */
static cudaError_t upload_for(struct graph_launch *launch) {
  int refused = cudaSuccess;
  for (int i = 0; i < GASAN_RT_DEVICES && !refused; i++) {
    struct gasan_rt_device *device = gasan_rt_device(i);
    if (!device)
      continue;
    launch->uploaded[launch->count++] = device;
    refused = device == launch->state ? gasan_upload_before_launch_in(device, launch->meant)
                                      : gasan_upload_before_launch(device);
  }
  if (refused)
    end_uploads(launch);
  return gasan_set_error(refused);
}

/* Launches the proven executable if it was chosen. If CUDA refuses that launch, launches the program's executable: the
 * reason of the refusal may be the program's own. */
static cudaError_t launch_either(gasan_graph_launch_function real, cudaGraphExec_t exec, cudaGraphExec_t chosen,
                                 cudaStream_t stream, struct graph_launch *launch) {
  if (chosen != exec) {
    cudaError_t waiting = gasan_waiting_error();
    if (real(chosen, stream) == cudaSuccess)
      return cudaSuccess;
    gasan_forget_error(waiting);
    gasan_graph_launch_proof_refused(exec);
    cudaError_t refused = launch->count ? cudaSuccess : upload_for(launch);
    if (refused)
      return refused;
  }
  return real(exec, stream);
}

cudaError_t gasan_graph_launch_make(gasan_graph_launch_function real, cudaGraphExec_t exec, cudaStream_t stream,
                                    cudaStream_t meant, const char *api) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || gasan_capture_in(stream))
    return real(exec, stream);
  gasan_pending_frees_settle(stream);
  bool looks_up;
  cudaGraphExec_t chosen = gasan_graph_launch_proof_choose(state, exec, meant, &looks_up);
  struct graph_launch made = {.state = state, .meant = meant};
  cudaError_t error = looks_up || gasan_upload_is_wanted(state) ? upload_for(&made) : cudaSuccess;
  if (error != cudaSuccess)
    return error;
  gasan_rt_each_device(gasan_views_upload);
  gasan_faults_peek(state);
  gasan_faults_watch();
  struct gasan_launch launch = {.ordinal = state->device->ordinal,
                                .stream = stream,
                                .graph = gasan_graph_kernels(exec),
                                .grids = UINT32_MAX,
                                .chunks = gasan_canary_table_chunks(state),
                                .stack = gasan_stack_capture(api),
                                .thread = gasan_thread_number()};
  gasan_launch_begin();
  gasan_canary_watch_launches(state);
  uint64_t number = gasan_launch_log_add(state, &launch);
  state->device->kind->set_launch_id(number);
  error = launch_either(real, exec, chosen, stream, &made);
  end_uploads(&made);
  if (error != cudaSuccess)
    gasan_launch_log_remove(state, number);
  gasan_launch_log_count_grids(state, number);
  if (error == cudaSuccess)
    gasan_canary_watch_launched(state, meant, true);
  gasan_launch_release();
  gasan_device_error(state, error);
  gasan_faults_after_launch(state);
  if (error == cudaSuccess)
    gasan_trace_after_launch(state, "a graph", (const uint32_t[3]){0}, (const uint32_t[3]){0});
  return error;
}
