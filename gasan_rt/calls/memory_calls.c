/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that allocate, register and free memory. */
#include <stdint.h>

#include "base/round.h"
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/allocate.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/ordered.h"

cudaError_t gasan_call_malloc(struct gasan_call *call, void **pointer, size_t size) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || !state->pool || !pointer || size == 0 || gasan_capture_forbids())
    return GASAN_CALL_REAL(call, cudaMalloc)(pointer, size);
  return gasan_memory_allocate(state, call->api, pointer, size);
}

/* CUDA derives the pitch from the device's texture alignment, which is at most 512 on every GPU so far. */
#define PITCH_ALIGNMENT 512u

static bool compute_pitch(size_t width, size_t rows, size_t *pitch, size_t *total) {
  *pitch = gasan_round_up(width, PITCH_ALIGNMENT);
  return *pitch >= width && !__builtin_mul_overflow(*pitch, rows, total);
}

cudaError_t gasan_call_malloc_pitch(struct gasan_call *call, void **pointer, size_t *pitch, size_t width,
                                    size_t height) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t padded_width = 0, total = 0;
  if (!state || !state->pool || !pointer || !pitch || width == 0 || height == 0 ||
      !compute_pitch(width, height, &padded_width, &total) || gasan_capture_forbids())
    return GASAN_CALL_REAL(call, cudaMallocPitch)(pointer, pitch, width, height);
  cudaError_t error = gasan_memory_allocate(state, call->api, pointer, total);
  if (error == cudaSuccess)
    *pitch = padded_width;
  return error;
}

cudaError_t gasan_call_malloc_3d(struct gasan_call *call, struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t pitch = 0, rows = 0, total = 0;
  if (!state || !state->pool || !pitched || extent.width == 0 || extent.height == 0 || extent.depth == 0 ||
      __builtin_mul_overflow(extent.height, extent.depth, &rows) ||
      !compute_pitch(extent.width, rows, &pitch, &total) || gasan_capture_forbids())
    return GASAN_CALL_REAL(call, cudaMalloc3D)(pitched, extent);
  void *pointer = NULL;
  cudaError_t error = gasan_memory_allocate(state, call->api, &pointer, total);
  if (error == cudaSuccess)
    *pitched = (struct cudaPitchedPtr){pointer, pitch, extent.width, extent.height};
  return error;
}

cudaError_t gasan_call_free(struct gasan_call *call, void *pointer) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!pointer || !state)
    return GASAN_CALL_REAL(call, cudaFree)(pointer);
  return gasan_memory_free_any(call->api, pointer, GASAN_CALL_REAL(call, cudaFree));
}

/* Returns the size plus one byte. A GPU's driver places these allocations side by side. Without the additional byte,
 * the end of one allocation would be the start of the next, and a pointer to the end would get the next one's
 * bounds. */
static size_t with_gap(size_t size) {
  return size && size < SIZE_MAX && gasan_rt_kind() == &gasan_device_cuda ? size + 1 : size;
}

/* Returns true if the failed allocation may be tried again, because quarantined memory was returned to CUDA. */
static bool may_try_again(cudaError_t error) {
  if (error != cudaErrorMemoryAllocation || gasan_capture_active() || !gasan_foreign_give_back())
    return false;
  (void)GASAN_REAL(cudaGetLastError)();
  return true;
}

cudaError_t gasan_call_malloc_managed(struct gasan_call *call, void **pointer, size_t size, unsigned flags) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMallocManaged)(pointer, with_gap(size), flags);
  if (may_try_again(error))
    error = GASAN_CALL_REAL(call, cudaMallocManaged)(pointer, with_gap(size), flags);
  return gasan_foreign_note(error, GASAN_FOREIGN_MANAGED, pointer, size, call->api);
}

cudaError_t gasan_call_malloc_host(struct gasan_call *call, void **pointer, size_t size) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMallocHost)(pointer, with_gap(size));
  if (may_try_again(error))
    error = GASAN_CALL_REAL(call, cudaMallocHost)(pointer, with_gap(size));
  return gasan_foreign_note(error, GASAN_FOREIGN_PINNED, pointer, size, call->api);
}

cudaError_t gasan_call_host_alloc(struct gasan_call *call, void **pointer, size_t size, unsigned flags) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaHostAlloc)(pointer, with_gap(size), flags);
  if (may_try_again(error))
    error = GASAN_CALL_REAL(call, cudaHostAlloc)(pointer, with_gap(size), flags);
  return gasan_foreign_note(error, GASAN_FOREIGN_PINNED, pointer, size, call->api);
}

cudaError_t gasan_call_host_register(struct gasan_call *call, void *pointer, size_t size, unsigned flags) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaHostRegister)(pointer, size, flags);
  if (error == cudaSuccess && pointer && size && gasan_foreign_watches())
    gasan_foreign_register(pointer, size, call->api);
  return error;
}

cudaError_t gasan_call_host_unregister(struct gasan_call *call, void *pointer) {
  void *alias = gasan_foreign_alias(pointer);
  cudaError_t error = GASAN_CALL_REAL(call, cudaHostUnregister)(pointer);
  if (error == cudaSuccess)
    gasan_foreign_unregister(pointer, alias);
  return error;
}

cudaError_t gasan_call_external_memory_get_mapped_buffer(struct gasan_call *call, void **pointer,
                                                         cudaExternalMemory_t memory,
                                                         const struct cudaExternalMemoryBufferDesc *buffer) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaExternalMemoryGetMappedBuffer)(pointer, memory, buffer);
  return gasan_foreign_note(error, GASAN_FOREIGN_IMPORTED, pointer, buffer ? (size_t)buffer->size : 0, call->api);
}

cudaError_t gasan_call_free_host(struct gasan_call *call, void *pointer) {
  return gasan_foreign_free_host(call->api, pointer, GASAN_CALL_REAL(call, cudaFreeHost));
}

cudaError_t gasan_call_pointer_get_attributes(struct gasan_call *call, struct cudaPointerAttributes *attributes,
                                              const void *pointer) {
  gasan_rt_kind();
  if (!attributes || !gasan_foreign_is_free(pointer))
    return GASAN_CALL_REAL(call, cudaPointerGetAttributes)(attributes, pointer);
  /* Query the attributes of memory that CUDA does not know. */
  static const char unknown;
  cudaError_t error = GASAN_CALL_REAL(call, cudaPointerGetAttributes)(attributes, &unknown);
  if (error == cudaSuccess && attributes->devicePointer)
    attributes->devicePointer = (void *)pointer;
  if (error == cudaSuccess && attributes->hostPointer)
    attributes->hostPointer = (void *)pointer;
  return error;
}

cudaError_t gasan_call_free_async(struct gasan_call *call, void *pointer, cudaStream_t stream) {
  return gasan_ordered_free(call->api, pointer, stream, gasan_call_stream(call, stream),
                            GASAN_CALL_REAL(call, cudaFreeAsync));
}

cudaError_t gasan_call_malloc_async(struct gasan_call *call, void **pointer, size_t size, cudaStream_t stream) {
  cudaStream_t meant = gasan_call_stream(call, stream);
  cudaMemPool_t pool = NULL;
  struct gasan_rt_device *state = pointer && size ? gasan_ordered_server(&pool, meant) : NULL;
  if (state)
    return gasan_ordered_allocate(state, call->api, pointer, size, pool, meant);
  return gasan_ordered_note(GASAN_CALL_REAL(call, cudaMallocAsync)(pointer, size, stream), call->api, pointer, size,
                            meant, !pointer || !size || gasan_capture_in(meant));
}

cudaError_t gasan_call_malloc_from_pool_async(struct gasan_call *call, void **pointer, size_t size, cudaMemPool_t from,
                                              cudaStream_t stream) {
  cudaStream_t meant = gasan_call_stream(call, stream);
  /* CUDA refuses a NULL handle. */
  cudaMemPool_t pool = from ? from : (cudaMemPool_t)-1;
  struct gasan_rt_device *state = pointer && size ? gasan_ordered_server(&pool, meant) : NULL;
  if (state)
    return gasan_ordered_allocate(state, call->api, pointer, size, pool, meant);
  return gasan_ordered_note(GASAN_CALL_REAL(call, cudaMallocFromPoolAsync)(pointer, size, from, stream), call->api,
                            pointer, size, meant, !pointer || !size || gasan_capture_in(meant));
}
