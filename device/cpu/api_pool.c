/* CUDA's memory pools: there is one, it keeps nothing back, and its attributes are only remembered. */
#include <stdatomic.h>

#include "device/cpu/api.h"

static char the_pool;

static cudaError_t check_pool(cudaMemPool_t pool) {
  return pool == (cudaMemPool_t)&the_pool ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  *pool = (cudaMemPool_t)&the_pool;
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return gasan_cpu_cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t gasan_cpu_cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return device == 0 ? check_pool(pool) : gasan_cpu_result(cudaErrorInvalidDevice);
}

cudaError_t gasan_cpu_cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  cudaError_t error = check_pool(pool);
  return error == cudaSuccess ? gasan_cpu_cudaMallocAsync(pointer, size, stream) : error;
}

cudaError_t gasan_cpu_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t size) {
  return check_pool(pool);
}

static _Atomic int reuse[3] = {1, 1, 1}; /* cudaMemPoolReuse* */
static _Atomic uint64_t release_threshold;

cudaError_t gasan_cpu_cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = value ? check_pool(pool) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    atomic_store(&reuse[attribute - cudaMemPoolReuseFollowEventDependencies], *(int *)value);
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    atomic_store(&release_threshold, *(uint64_t *)value);
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    return *(uint64_t *)value == 0 ? cudaSuccess : gasan_cpu_result(cudaErrorInvalidValue);
  default:
    return gasan_cpu_result(cudaErrorInvalidValue);
  }
}

cudaError_t gasan_cpu_cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = value ? check_pool(pool) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    *(int *)value = atomic_load(&reuse[attribute - cudaMemPoolReuseFollowEventDependencies]);
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    *(uint64_t *)value = atomic_load(&release_threshold);
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemCurrent:
  case cudaMemPoolAttrUsedMemHigh:
    *(uint64_t *)value = 0; /* its memory is the process's, not the pool's */
    return cudaSuccess;
  default:
    return gasan_cpu_result(cudaErrorInvalidValue);
  }
}
