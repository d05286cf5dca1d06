/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that take a range but do not copy it: advice, prefetches, queries, handles for other processes. The range must
 * be inside one live allocation, as for a copy. With halt_on_error=0 a reported call is not made, and returns
 * cudaErrorInvalidValue.
 *
 * cudaPointerGetAttributes is never reported: programs ask it whether memory is CUDA's (memory_calls.c). */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/ipc.h"
#include "gasan_rt/memory/range_check.h"

cudaError_t gasan_call_mem_advise(struct gasan_call *call, const void *at, size_t size, enum cudaMemoryAdvise advice,
                                  struct cudaMemLocation where) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, at, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemAdvise)(at, size, advice, where);
}

cudaError_t gasan_call_mem_prefetch_async(struct gasan_call *call, const void *at, size_t size,
                                          struct cudaMemLocation where, unsigned flags, cudaStream_t stream) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, at, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemPrefetchAsync)(at, size, where, flags, stream);
}

cudaError_t gasan_call_mem_range_get_attribute(struct gasan_call *call, void *data, size_t data_size,
                                               enum cudaMemRangeAttribute attribute, const void *at, size_t size) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, at, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemRangeGetAttribute)(data, data_size, attribute, at, size);
}

cudaError_t gasan_call_mem_range_get_attributes(struct gasan_call *call, void **data, size_t *data_sizes,
                                                enum cudaMemRangeAttribute *attributes, size_t count, const void *at,
                                                size_t size) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, at, size))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemRangeGetAttributes)(data, data_sizes, attributes, count, at, size);
}

/* Length 0 means the whole allocation. */
cudaError_t gasan_call_stream_attach_mem_async(struct gasan_call *call, cudaStream_t stream, void *at, size_t size,
                                               unsigned flags) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, at, size ? size : 1))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaStreamAttachMemAsync)(stream, at, size, flags);
}

/* Checks a batch. Leaves arguments that CUDA refuses to CUDA. */
static bool batch_ok(const char *api, enum gasan_access access, void *const *at, const size_t *sizes, size_t count) {
  for (size_t i = 0; at && sizes && i < count; i++)
    if (!gasan_range_ok(api, access, at[i], sizes[i]))
      return false;
  return true;
}

cudaError_t gasan_call_mem_prefetch_batch_async(struct gasan_call *call, void **at, size_t *sizes, size_t count,
                                                struct cudaMemLocation *where, size_t *indices, size_t where_count,
                                                unsigned long long flags, cudaStream_t stream) {
  if (!batch_ok(call->api, GASAN_ACCESS_READ, at, sizes, count))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemPrefetchBatchAsync)(at, sizes, count, where, indices, where_count, flags, stream);
}

/* Checks a discard as a write, because the contents are lost. */
cudaError_t gasan_call_mem_discard_and_prefetch_batch_async(struct gasan_call *call, void **at, size_t *sizes,
                                                            size_t count, struct cudaMemLocation *where,
                                                            size_t *indices, size_t where_count,
                                                            unsigned long long flags, cudaStream_t stream) {
  if (!batch_ok(call->api, GASAN_ACCESS_WRITE, at, sizes, count))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemDiscardAndPrefetchBatchAsync)(at, sizes, count, where, indices, where_count,
                                                                    flags, stream);
}

cudaError_t gasan_call_mem_discard_batch_async(struct gasan_call *call, void **at, size_t *sizes, size_t count,
                                               unsigned long long flags, cudaStream_t stream) {
  if (!batch_ok(call->api, GASAN_ACCESS_WRITE, at, sizes, count))
    return gasan_set_error(cudaErrorInvalidValue);
  return GASAN_CALL_REAL(call, cudaMemDiscardBatchAsync)(at, sizes, count, flags, stream);
}

/* Returns the handle of the whole allocation, whichever of its bytes the pointer names. */
static cudaError_t export_chunk(struct gasan_rt_device *owner, cudaIpcMemHandle_t *handle, const void *pointer) {
  struct gasan_chunk chunk;
  const bool found = !gasan_pool_translates(owner->pool) &&
                     gasan_pool_find(owner->pool, (uint64_t)(uintptr_t)pointer, &chunk) &&
                     chunk.state == GASAN_CHUNK_LIVE;
  const cudaError_t error = found ? gasan_ipc_export(owner, &chunk, handle) : cudaErrorNotSupported;
  if (error == cudaErrorNotSupported)
    gasan_rt_warn("cudaIpcGetMemHandle: this device, or the pool of a program with handles, cannot share memory "
                  "between processes: it returns cudaErrorNotSupported");
  return gasan_set_error(error);
}

cudaError_t gasan_call_ipc_get_mem_handle(struct gasan_call *call, cudaIpcMemHandle_t *handle, void *pointer) {
  gasan_rt_kind();
  if (handle && !gasan_range_ok(call->api, GASAN_ACCESS_READ, pointer, 1))
    return gasan_set_error(cudaErrorInvalidValue);
  struct gasan_rt_device *owner = handle ? gasan_rt_owner(pointer) : NULL;
  return owner ? export_chunk(owner, handle, pointer) : GASAN_CALL_REAL(call, cudaIpcGetMemHandle)(handle, pointer);
}

cudaError_t gasan_call_ipc_open_mem_handle(struct gasan_call *call, void **pointer, cudaIpcMemHandle_t handle,
                                           unsigned flags) {
  struct gasan_rt_device *state = gasan_rt_current();
  return state && pointer && gasan_ipc_is_ours(&handle)
             ? gasan_set_error(gasan_ipc_open(state, &handle, call->api, pointer))
             : GASAN_CALL_REAL(call, cudaIpcOpenMemHandle)(pointer, handle, flags);
}

cudaError_t gasan_call_ipc_close_mem_handle(struct gasan_call *call, void *pointer) {
  cudaError_t error;
  return gasan_ipc_close(pointer, call->api, &error) ? gasan_set_error(error)
                                                     : GASAN_CALL_REAL(call, cudaIpcCloseMemHandle)(pointer);
}
