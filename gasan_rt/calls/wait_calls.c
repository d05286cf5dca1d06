/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that wait for the device. Before they return, faults that were recorded until then are reported. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/calls/waits.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/launch/stack_limit.h"
#include "gasan_rt/memory/device_heap.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/release.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static cudaError_t wait_for_device(void) {
  struct gasan_rt_device *state = gasan_rt_current();
  uint64_t uploads = state ? gasan_upload_wait_begins(state) : 0;
  bool begun = false;
  uint64_t launch = 0;
  if (state) {
    launch = gasan_canary_watch_device_waits(state);
    begun = gasan_canary_watch_wait_begins(state);
  }
  cudaError_t error = GASAN_REAL(cudaDeviceSynchronize)();
  if (state)
    gasan_canary_watch_wait_ended(state, begun);
  if (state && error == cudaSuccess) {
    gasan_upload_wait_ended(state, uploads);
    gasan_canary_watch_device_waited(state, launch);
  }
  if (state)
    gasan_faults_collect(state, error);
  gasan_pending_frees_poll();
  return error;
}

cudaError_t gasan_call_device_synchronize(struct gasan_call *call) {
  return wait_for_device();
}

static cudaError_t after_stream(cudaError_t error, cudaStream_t stream) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && error != cudaErrorNotReady) {
    if (error == cudaSuccess)
      gasan_launch_mark_stream(state, stream);
    /* The stream may belong to another device than the current one. */
    gasan_rt_each_device(gasan_faults_peek);
    gasan_device_error(state, error);
    gasan_pending_frees_poll();
  }
  return error;
}

cudaError_t gasan_call_stream_wait(struct gasan_call *call, cudaStream_t stream) {
  struct gasan_rt_device *state = gasan_rt_current();
  const cudaStream_t meant = gasan_call_stream(call, stream);
  const uint64_t launch = state ? gasan_canary_watch_waits(state, meant) : 0;
  cudaError_t error = GASAN_CALL_REAL(call, cudaStreamSynchronize)(stream);
  if (launch && error == cudaSuccess)
    gasan_canary_watch_waited(state, meant, launch);
  return after_stream(error, stream);
}

/* A query that finds all work complete is a wait. */
cudaError_t gasan_call_stream_query(struct gasan_call *call, cudaStream_t stream) {
  return after_stream(GASAN_CALL_REAL(call, cudaStreamQuery)(stream), stream);
}

static cudaError_t after_event(cudaError_t error) {
  if (error != cudaErrorNotReady) {
    gasan_rt_each_device(gasan_faults_peek);
    struct gasan_rt_device *state = gasan_rt_current();
    if (state)
      gasan_device_error(state, error);
    gasan_pending_frees_poll();
  }
  return error;
}

cudaError_t gasan_call_event_wait(struct gasan_call *call, cudaEvent_t event) {
  return after_event(GASAN_CALL_REAL(call, cudaEventSynchronize)(event));
}

#define BATCH 256

struct batch {
  uint64_t bases[BATCH];
  int count;
};

static bool take_chunk(const struct gasan_chunk *chunk, void *context) {
  struct batch *batch = context;
  batch->bases[batch->count++] = chunk->base;
  return batch->count < BATCH;
}

static void free_all(struct gasan_rt_device *state) {
  struct gasan_pool_caller caller = {"cudaDeviceReset", gasan_stack_capture("cudaDeviceReset"), gasan_thread_number()};
  struct batch batch;
  do {
    batch.count = 0;
    if (state->pool)
      gasan_pool_each_live(state->pool, take_chunk, &batch);
    for (int i = 0; i < batch.count; i++)
      gasan_memory_release(state, caller, batch.bases[i]);
  } while (batch.count > 0);
}

cudaError_t gasan_reset_device(struct gasan_rt_device *state) {
  struct gasan_status status = gasan_rt_synchronize(state);
  gasan_faults_collect(state, status.driver_error);
  gasan_pending_frees_poll();
  free_all(state);
  gasan_heap_reset(state);
  if (state->device->kind->set_stack_limit)
    gasan_stack_limit_reset(state);
  return gasan_cuda_error(status);
}

/* On a GPU, does not call CUDA's reset, because that would destroy the device's context, to which the pool and the ring
 * belong. */
cudaError_t gasan_call_device_reset(struct gasan_call *call) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state)
    return GASAN_CALL_REAL(call, cudaDeviceReset)();
  cudaError_t error = gasan_reset_device(state);
  return state->device->kind == &gasan_device_cpu ? GASAN_CALL_REAL(call, cudaDeviceReset)() : error;
}
