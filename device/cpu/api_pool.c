/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA's memory pools. They count their allocations, and return freed memory to the system immediately. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/handles.h"
#include "device/cpu/memory.h"

enum { REUSE_COUNT = 3 }; /* cudaMemPoolReuse*: 1 to 3 */

struct pool {
  _Atomic int reuse[REUSE_COUNT];
  uint64_t release_threshold, used, used_high;
  bool destroyed; /* by the program; its allocations stay valid */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The pools, by the pool number in an allocation's flags. Number 0 is the device's default pool. Numbers are reused. */
static struct pool **pools;
static uint32_t pool_count;
static struct pool *current; /* cudaDeviceSetMemPool */

/* Must be called with the lock. NULL: no memory. */
static struct pool *add_pool(void) {
  uint32_t number = 0;
  while (number < pool_count && pools[number])
    number++;
  if (number == pool_count) {
    struct pool **more = realloc(pools, (pool_count + 1) * sizeof *pools);
    if (!more)
      return NULL;
    pools = more;
    pools[pool_count++] = NULL;
  }
  struct pool *pool = gasan_cpu_handle_new(sizeof *pool, GASAN_CPU_HANDLE_POOL);
  if (pool)
    for (int i = 0; i < REUSE_COUNT; i++)
      pool->reuse[i] = 1;
  pools[number] = pool;
  return pool;
}

/* Must be called with the lock. */
static struct pool *default_pool(void) {
  return pool_count ? pools[0] : add_pool();
}

/* Must be called with the lock. */
static uint32_t number_of(const struct pool *pool) {
  uint32_t number = 0;
  while (pools[number] != pool)
    number++;
  return number;
}

/* Frees the pool if the program has destroyed it and it has no allocations. Must be called with the lock. */
static void release_pool(struct pool *pool) {
  if (!pool->destroyed || pool->used)
    return;
  pools[number_of(pool)] = NULL;
  free(pool);
}

/* Returns true for a pool. A caller that uses the pool must have the lock, because another thread may destroy the
 * pool. */
static bool is_pool(cudaMemPool_t pool) {
  return gasan_cpu_handle_valid(pool, GASAN_CPU_HANDLE_POOL);
}

static cudaError_t check_pool(cudaMemPool_t pool) {
  if (!is_pool(pool))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_check();
}

static cudaError_t give_pool(cudaMemPool_t *result, struct pool *pool) {
  *result = (cudaMemPool_t)pool;
  return pool ? gasan_cpu_check() : gasan_cpu_result(cudaErrorMemoryAllocation);
}

cudaError_t gasan_cpu_cudaDeviceGetDefaultMemPool(cudaMemPool_t *result, int device) {
  if (!result)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  pthread_mutex_lock(&lock);
  struct pool *pool = default_pool();
  pthread_mutex_unlock(&lock);
  return give_pool(result, pool);
}

cudaError_t gasan_cpu_cudaDeviceGetMemPool(cudaMemPool_t *result, int device) {
  if (!result)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  pthread_mutex_lock(&lock);
  struct pool *pool = current ? current : default_pool();
  pthread_mutex_unlock(&lock);
  return give_pool(result, pool);
}

cudaError_t gasan_cpu_cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  cudaError_t error = check_pool(pool);
  if (error != cudaSuccess)
    return error;
  pthread_mutex_lock(&lock);
  bool valid = is_pool(pool);
  if (valid)
    current = (struct pool *)pool;
  pthread_mutex_unlock(&lock);
  return valid ? cudaSuccess : gasan_cpu_result(cudaErrorInvalidValue);
}

static bool names_device(const struct cudaMemLocation *location, enum cudaMemAllocationType type) {
  return location && location->type == cudaMemLocationTypeDevice && location->id == 0 &&
         type == cudaMemAllocationTypePinned;
}

cudaError_t gasan_cpu_cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                               enum cudaMemAllocationType type) {
  if (!names_device(location, type))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t gasan_cpu_cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                        enum cudaMemAllocationType type) {
  if (!names_device(location, type))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_cudaDeviceGetMemPool(pool, 0);
}

cudaError_t gasan_cpu_cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                        cudaMemPool_t pool) {
  if (!names_device(location, type))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_cudaDeviceSetMemPool(0, pool);
}

cudaError_t gasan_cpu_cudaMemPoolCreate(cudaMemPool_t *result, const struct cudaMemPoolProps *properties) {
  if (!result || !properties || !names_device(&properties->location, properties->allocType))
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (properties->handleTypes != cudaMemHandleTypeNone) /* memory cannot be shared with other processes */
    return gasan_cpu_result(cudaErrorNotSupported);
  pthread_mutex_lock(&lock);
  struct pool *pool = default_pool() ? add_pool() : NULL;
  pthread_mutex_unlock(&lock);
  return give_pool(result, pool);
}

cudaError_t gasan_cpu_cudaMemPoolDestroy(cudaMemPool_t handle) {
  struct pool *pool = (struct pool *)handle;
  pthread_mutex_lock(&lock);
  bool destroyed = (!pool_count || pool != pools[0]) && gasan_cpu_handle_retire(pool, GASAN_CPU_HANDLE_POOL);
  if (destroyed) {
    if (current == pool) /* the default pool is the current one again */
      current = NULL;
    pool->destroyed = true;
    release_pool(pool);
  }
  pthread_mutex_unlock(&lock);
  return destroyed ? gasan_cpu_check() : gasan_cpu_result(cudaErrorInvalidValue);
}

void gasan_cpu_pool_give_back(uint32_t number, size_t size) {
  pthread_mutex_lock(&lock);
  pools[number]->used -= size;
  release_pool(pools[number]);
  pthread_mutex_unlock(&lock);
}

cudaError_t gasan_cpu_cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error == cudaSuccess)
    error = check_pool(handle);
  if (error != cudaSuccess)
    return error;
  if (!pointer)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *pointer = NULL;
  if (size == 0)
    return cudaSuccess;
  struct pool *pool = (struct pool *)handle;
  pthread_mutex_lock(&lock);
  bool valid = is_pool(handle);
  if (valid)
    *pointer = gasan_cpu_memory_alloc(size, GASAN_CPU_MEMORY_POOLED, number_of(pool));
  if (*pointer)
    pool->used += size;
  if (valid && pool->used > pool->used_high)
    pool->used_high = pool->used;
  pthread_mutex_unlock(&lock);
  if (*pointer)
    return cudaSuccess;
  return gasan_cpu_result(valid ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  cudaMemPool_t pool;
  cudaError_t error = gasan_cpu_cudaDeviceGetMemPool(&pool, 0);
  return error == cudaSuccess ? gasan_cpu_cudaMallocFromPoolAsync(pointer, size, pool, stream) : error;
}

cudaError_t gasan_cpu_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t size) {
  return check_pool(pool);
}

static bool is_reuse(enum cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

/* Returns the counter of an attribute. A pool reserves no more than it has allocated. NULL: the attribute is not a
 * counter. */
static uint64_t *count_of(struct pool *pool, enum cudaMemPoolAttr attribute) {
  switch (attribute) {
  case cudaMemPoolAttrReleaseThreshold:
    return &pool->release_threshold;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent:
    return &pool->used;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    return &pool->used_high;
  default:
    return NULL;
  }
}

cudaError_t gasan_cpu_cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = value ? check_pool(handle) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  struct pool *pool = (struct pool *)handle;
  uint64_t *count = count_of(pool, attribute);
  if (is_reuse(attribute)) {
    pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(int *)value != 0;
    return cudaSuccess;
  }
  if (!count || count == &pool->used || (count == &pool->used_high && *(uint64_t *)value != 0))
    return gasan_cpu_result(cudaErrorInvalidValue);
  pthread_mutex_lock(&lock);
  *count = count == &pool->used_high ? pool->used : *(uint64_t *)value;
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = value ? check_pool(handle) : gasan_cpu_result(cudaErrorInvalidValue);
  if (error != cudaSuccess)
    return error;
  struct pool *pool = (struct pool *)handle;
  uint64_t *count = count_of(pool, attribute);
  if (is_reuse(attribute))
    *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
  else if (count) {
    pthread_mutex_lock(&lock);
    *(uint64_t *)value = *count;
    pthread_mutex_unlock(&lock);
  } else
    return gasan_cpu_result(cudaErrorInvalidValue);
  return cudaSuccess;
}

/* Changes nothing: the only device can always access its pools. */
cudaError_t gasan_cpu_cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count) {
  cudaError_t error = accesses || !count ? check_pool(pool) : gasan_cpu_result(cudaErrorInvalidValue);
  for (size_t i = 0; error == cudaSuccess && i < count; i++)
    if (!names_device(&accesses[i].location, cudaMemAllocationTypePinned) ||
        accesses[i].flags != cudaMemAccessFlagsProtReadWrite)
      error = gasan_cpu_result(cudaErrorInvalidValue);
  return error;
}

cudaError_t gasan_cpu_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                           struct cudaMemLocation *location) {
  if (!flags || !names_device(location, cudaMemAllocationTypePinned))
    return gasan_cpu_result(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return check_pool(pool);
}
