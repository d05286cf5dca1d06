/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/ordered.h"

#include <stdint.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/allocate.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/cuda_pool.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/report/report.h"

static bool is_handle(cudaStream_t stream) {
  return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

/* Returns CUDA's error if the handle is not a stream. */
static cudaError_t check_stream(cudaStream_t stream) {
  unsigned flags;
  return is_handle(stream) ? GASAN_REAL(cudaStreamGetFlags)(stream, &flags) : cudaSuccess;
}

static cudaError_t free_in_pool(struct gasan_rt_device *owner, const char *api, void *pointer, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  if (error != cudaSuccess)
    return error;
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_chunk chunk;
  gasan_pending_frees_poll();
  if (gasan_pending_frees_find(address, &chunk) && chunk.base == address)
    return gasan_report_double_free(owner, &caller, address, &chunk) ? gasan_set_error(cudaErrorInvalidValue)
                                                                     : cudaSuccess;
  bool right =
      gasan_pool_find(owner->pool, address, &chunk) && chunk.base == address && chunk.state == GASAN_CHUNK_LIVE;
  if (right)
    gasan_allocation_stream_will_free(address, stream);
  if (right && !gasan_capture_active() && gasan_pending_frees_add(owner, caller, chunk, stream)) {
    gasan_pending_frees_poll();
    return cudaSuccess;
  }
  return gasan_memory_free(owner, api, pointer);
}

/* Frees memory of CUDA's own pools. Reports the error if CUDA refuses. */
static cudaError_t free_foreign(const char *api, void *pointer, cudaStream_t stream, gasan_ordered_free_function real,
                                bool captured) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (captured || !state || !state->pool || check_stream(stream) != cudaSuccess)
    return real(pointer, stream);
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_foreign range;
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  enum gasan_foreign_end end =
      gasan_foreign_end(pointer, GASAN_FOREIGN_POOLED | GASAN_FOREIGN_DRIVER, caller, false, &range);
  cudaError_t error = real(pointer, stream);
  if (error != cudaSuccess && end == GASAN_FOREIGN_ENDED)
    gasan_foreign_revive(pointer);
  if (error == cudaSuccess && end == GASAN_FOREIGN_ENDED) {
    gasan_allocation_stream_will_free(address, stream);
    gasan_allocation_stream_forget(address);
  }
  if (error == cudaSuccess || !pointer || end == GASAN_FOREIGN_ENDED)
    return error;
  /* For a range with a record, any refusal is a bug of the program. For unknown memory, only cudaErrorInvalidValue
   * means that the pointer is wrong. */
  if (end != GASAN_FOREIGN_FREED && end != GASAN_FOREIGN_OTHER_KIND && error != cudaErrorInvalidValue)
    return error;
  if (end == GASAN_FOREIGN_FREED)
    gasan_report_double_free(state, &caller, address, &range.chunk);
  else if (end == GASAN_FOREIGN_OTHER_KIND)
    gasan_report_mismatch(state, &caller, address, &range.chunk);
  else
    gasan_report_bad_free(state, &caller, address, end == GASAN_FOREIGN_INTERIOR ? &range.chunk : NULL);
  return error;
}

cudaError_t gasan_ordered_free(const char *api, void *pointer, cudaStream_t stream, cudaStream_t meant,
                               gasan_ordered_free_function real) {
  gasan_rt_kind();
  struct gasan_rt_device *owner = pointer ? gasan_rt_owner(pointer) : NULL;
  if (owner)
    return free_in_pool(owner, api, pointer, meant);
  return free_foreign(api, pointer, stream, real, gasan_capture_in(meant));
}

struct gasan_rt_device *gasan_ordered_server(cudaMemPool_t *pool, cudaStream_t stream) {
  int ordinal = gasan_rt_kind()->current();
  /* Opens the device. */
  gasan_rt_current();
  if (gasan_capture_in(stream) || check_stream(stream) != cudaSuccess)
    return NULL;
  if (!*pool && is_handle(stream) && GASAN_REAL(cudaStreamGetDevice)(stream, &ordinal) != cudaSuccess)
    return NULL;
  if (!*pool && GASAN_REAL(cudaDeviceGetMemPool)(pool, ordinal) != cudaSuccess)
    return NULL;
  if (!gasan_cuda_pool_is_ours(*pool, &ordinal) || ordinal < 0 || ordinal >= GASAN_RT_DEVICES)
    return NULL;
  struct gasan_rt_device *state = gasan_rt_device(ordinal);
  return state && state->pool ? state : NULL;
}

cudaError_t gasan_ordered_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size,
                                   cudaMemPool_t pool, cudaStream_t stream) {
  cudaError_t error = gasan_memory_allocate(state, api, pointer, size);
  if (error != cudaSuccess)
    return error;
  gasan_cuda_pool_took(pool, (uint64_t)(uintptr_t)*pointer, size);
  gasan_allocation_stream_set((uint64_t)(uintptr_t)*pointer, stream);
  return error;
}

cudaError_t gasan_ordered_note(cudaError_t error, const char *api, void **pointer, size_t size, cudaStream_t stream,
                               bool captured) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (error == cudaSuccess && !captured && state && state->pool && *pointer) {
    gasan_allocation_stream_set((uint64_t)(uintptr_t)*pointer, stream);
    gasan_foreign_add(GASAN_FOREIGN_POOLED, *pointer, size, gasan_memory_caller(api));
  }
  return error;
}
