/* Calls on CUDA's memory pools (memory/cuda_pool.h). */
#include <cuda_runtime_api.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/cuda_pool.h"
#include "gasan_rt/memory/pending_frees.h"

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *handle, const struct cudaMemPoolProps *properties) {
  cudaError_t error = GASAN_REAL(cudaMemPoolCreate)(handle, properties);
  if (error == cudaSuccess)
    gasan_cuda_pool_created(*handle, properties);
  return error;
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  cudaError_t error = GASAN_REAL(cudaMemPoolDestroy)(handle);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_destroyed(handle);
  return error;
}

EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *accesses, size_t count) {
  cudaError_t error = GASAN_REAL(cudaMemPoolSetAccess)(handle, accesses, count);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_opened(handle, accesses, count);
  return error;
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = GASAN_REAL(cudaMemPoolGetAttribute)(handle, attribute, value);
  gasan_pending_frees_poll();
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_add_use(handle, attribute, value);
  return error;
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = GASAN_REAL(cudaMemPoolSetAttribute)(handle, attribute, value);
  if (error == cudaSuccess && handle)
    gasan_cuda_pool_reset_high(handle, attribute);
  return error;
}
