/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/launch.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/launch_filter.h"
#include "gasan_rt/launch/launch_inputs.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/access_trace.h"
#include "gasan_rt/memory/canary_table.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Launches of kernels without checks: those that are made, written under the gate; and those that are captured. */
static _Atomic uint64_t unchecked, unchecked_captured;

/* Returns true if launches return only when the kernel has ended (CUDA_LAUNCH_BLOCKING=1). */
static bool launches_wait(void) {
  static _Atomic int known; /* 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (!answer) {
    const char *value = getenv("CUDA_LAUNCH_BLOCKING");
    answer = value && atoi(value) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

/* The state of one launch, from before_launch to after_launch. */
struct pending {
  int refused; /* not cudaSuccess: the launch must fail with this error; nothing is launched */
  struct gasan_rt_device *state;
  bool uploaded; /* gasan_upload_after_launch must be called */
  uint64_t number;
  bool captured; /* the launch becomes a graph's node */
  struct gasan_graph_kernel kernel;
  bool varies; /* a variant is launched instead of the kernel, unless CUDA refuses it */
  struct gasan_timed_launch timed;
  struct gasan_launch_inputs inputs; /* of a launch with checks */
};

/* Uploads the metadata that the launch needs. Returns the error with which the launch must fail, or cudaSuccess. */
static int upload_for_launch(const struct gasan_launch_call *call, struct pending *pending) {
  int refused = gasan_upload_before_launch_in(pending->state, call->shape.stream);
  if (refused)
    gasan_upload_after_launch(pending->state);
  pending->uploaded = !refused;
  return refused;
}

static struct pending before_launch(const struct gasan_launch_call *call, struct gasan_variant_launch *variant) {
  struct pending pending = {.state = gasan_rt_current()};
  struct gasan_rt_device *state = pending.state;
  if (!state)
    return pending;
  gasan_pending_frees_settle(call->stream);
  gasan_faults_peek(state);
  const struct gasan_kernel *kernel = call->function ? gasan_registry_kernel(call->function) : NULL;
  struct gasan_launch launch = {.ordinal = state->device->ordinal,
                                .kernel = kernel,
                                .name = call->name,
                                .stream = call->stream,
                                .grids = 1,
                                .is_left_out = gasan_launch_filter_leaves_out(kernel, call->name),
                                .chunks = gasan_canary_table_chunks(state),
                                .stack = gasan_stack_capture(call->api),
                                .thread = gasan_thread_number()};
  memcpy(launch.grid, call->shape.grid, sizeof launch.grid);
  memcpy(launch.block, call->shape.block, sizeof launch.block);
  launch.checked = kernel && gasan_module_prepare(kernel, state);
  if (launch.checked)
    gasan_views_upload(state);
  gasan_faults_watch();
  const bool captured = gasan_capture_in(call->stream);
  pending.varies = launch.checked && !captured && !call->hides_values &&
                   gasan_launch_proof_choose(launch.kernel, state, &call->shape, variant, &pending.timed);
  if (launch.checked && !captured && !call->hides_values)
    gasan_launch_inputs_read(kernel, state, &call->shape, pending.varies && variant->variant == GASAN_VARIANT_PROVEN,
                             &pending.inputs);
  const bool uploads = !pending.varies || variant->looks_up || gasan_upload_is_wanted(state);
  if (uploads && (pending.refused = upload_for_launch(call, &pending)))
    return pending;
  if (captured) {
    pending.captured = true;
    if (!launch.checked)
      atomic_fetch_add(&unchecked_captured, 1);
    pending.kernel = (struct gasan_graph_kernel){.kernel = launch.checked ? kernel : NULL,
                                                 .stack = launch.stack,
                                                 .thread = launch.thread,
                                                 .ordinal = state->device->ordinal,
                                                 .captured = true};
    memcpy(pending.kernel.grid, call->shape.grid, sizeof pending.kernel.grid);
    memcpy(pending.kernel.block, call->shape.block, sizeof pending.kernel.block);
    return pending;
  }
  gasan_launch_begin();
  gasan_canary_watch_launches(state);
  if (!launch.checked)
    atomic_store_explicit(&unchecked, atomic_load_explicit(&unchecked, memory_order_relaxed) + 1, memory_order_relaxed);
  pending.number = gasan_launch_log_add(state, &launch);
  gasan_launch_inputs_keep(state, pending.number, &pending.inputs);
  state->device->kind->set_launch_id(pending.number);
  return pending;
}

static cudaError_t after_launch(const struct gasan_launch_call *call, const struct pending *pending,
                                cudaError_t error) {
  if (!pending->state)
    return error;
  /* An error that has stopped a kernel is that of an earlier kernel, unless the launch has waited for its own
   * kernel. */
  const bool waited = launches_wait(), failed = error != cudaSuccess && !pending->captured;
  if (failed && !waited)
    gasan_launch_log_remove(pending->state, pending->number);
  gasan_device_error(pending->state, error);
  if (pending->uploaded)
    gasan_upload_after_launch(pending->state);
  if (pending->captured) {
    if (error == cudaSuccess && pending->kernel.kernel)
      gasan_graph_note_captured(call->stream, &pending->kernel);
    return error;
  }
  if (failed && waited)
    gasan_launch_log_remove(pending->state, pending->number);
  else if (waited)
    gasan_launch_mark_waited(pending->state, pending->number);
  if (!failed)
    gasan_canary_watch_launched(pending->state, call->shape.stream, false);
  gasan_launch_release();
  gasan_faults_after_launch(pending->state);
  if (!failed && gasan_trace_is_written(pending->state)) {
    const struct gasan_kernel *kernel = call->function ? gasan_registry_kernel(call->function) : NULL;
    gasan_trace_after_launch(pending->state, kernel ? kernel->name : call->name, call->shape.grid, call->shape.block);
  }
  /* The compiler leaves enough registers for any block, and for any grid that waits by cooperative groups
   * (driver/registers.h). Other cooperative launches may fail. */
  if (pending->state->device->kind != &gasan_device_cpu && error == cudaErrorCooperativeLaunchTooLarge)
    gasan_rt_warn(
        "a cooperative launch failed (%s): the checks need registers, so fewer blocks fit at once. Take the number of "
        "blocks from cudaOccupancyMaxActiveBlocksPerMultiprocessor, or compile with -Xcuda-ptxas --maxrregcount=32",
        GASAN_REAL(cudaGetErrorName)(error));
  return error;
}

/* Uploads the metadata for the kernel itself, after CUDA has refused a variant. Returns the error with which the launch
 * must fail, or cudaSuccess. */
static cudaError_t fall_back(const struct gasan_launch_call *call, struct pending *pending) {
  return pending->state && !pending->uploaded ? gasan_set_error(upload_for_launch(call, pending)) : cudaSuccess;
}

/* Launches the variant, or the kernel itself. */
static cudaError_t make_launch(const struct gasan_launch_call *call, struct pending *pending,
                               struct gasan_variant_launch *variant) {
  if (call->plain && pending->varies && gasan_launch_proof_launch(variant, pending->state, &call->shape))
    return cudaSuccess;
  cudaError_t error = cudaSuccess;
  if (pending->varies) {
    gasan_launch_proof_attempt(variant);
    error = call->make(call, variant->function, variant->passed);
  }
  if (!pending->varies || !gasan_launch_proof_attempted(variant, error)) {
    error = fall_back(call, pending);
    if (error == cudaSuccess)
      error = call->make(call, call->function, call->shape.arguments);
  }
  return error;
}

cudaError_t gasan_launch_make(const struct gasan_launch_call *call) {
  struct gasan_variant_launch variant;
  struct pending pending = before_launch(call, &variant);
  if (pending.refused) {
    gasan_timed_launch_end(&pending.timed, call->shape.stream, false);
    return gasan_set_error(pending.refused);
  }
  gasan_timed_launch_begin(&pending.timed, call->shape.stream);
  const cudaError_t error = make_launch(call, &pending, &variant);
  gasan_timed_launch_end(&pending.timed, call->shape.stream, error == cudaSuccess);
  return after_launch(call, &pending, error);
}

uint64_t gasan_launch_unchecked(void) {
  return atomic_load(&unchecked) + atomic_load(&unchecked_captured);
}
