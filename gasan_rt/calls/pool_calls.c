/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls on CUDA's memory pools (memory/cuda_pool.h). */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/cuda_pool.h"
#include "gasan_rt/memory/pending_frees.h"

cudaError_t gasan_call_mem_pool_create(struct gasan_call *call, cudaMemPool_t *handle,
                                       const struct cudaMemPoolProps *properties) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMemPoolCreate)(handle, properties);
  if (error == cudaSuccess)
    gasan_cuda_pool_created(*handle, properties);
  return error;
}

cudaError_t gasan_call_mem_pool_destroy(struct gasan_call *call, cudaMemPool_t handle) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMemPoolDestroy)(handle);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_destroyed(handle);
  return error;
}

cudaError_t gasan_call_mem_pool_set_access(struct gasan_call *call, cudaMemPool_t handle,
                                           const struct cudaMemAccessDesc *accesses, size_t count) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMemPoolSetAccess)(handle, accesses, count);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_opened(handle, accesses, count);
  return error;
}

cudaError_t gasan_call_mem_pool_get_attribute(struct gasan_call *call, cudaMemPool_t handle,
                                              enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMemPoolGetAttribute)(handle, attribute, value);
  gasan_pending_frees_poll();
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_add_use(handle, attribute, value);
  return error;
}

cudaError_t gasan_call_mem_pool_set_attribute(struct gasan_call *call, cudaMemPool_t handle,
                                              enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMemPoolSetAttribute)(handle, attribute, value);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_reset_high(handle, attribute);
  return error;
}
