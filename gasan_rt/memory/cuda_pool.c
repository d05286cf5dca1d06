/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/cuda_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "gasan_rt/core/runtime.h"

struct pool {
  cudaMemPool_t handle; /* NULL: destroyed; its allocations may still live */
  int ordinal;
  bool ours;
  uint64_t used, used_high;
  struct pool *next;
};

struct taken {
  uint64_t size;
  struct pool *pool;
  struct gasan_map_entry by_address;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *pools;
GASAN_MAP(taken_chunks, 12);

static struct pool *find_pool(cudaMemPool_t handle) {
  struct pool *pool = pools;
  while (pool && pool->handle != handle)
    pool = pool->next;
  return pool;
}

static struct pool *add_pool(cudaMemPool_t handle, int ordinal, bool ours) {
  struct pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  *pool = (struct pool){.handle = handle, .ordinal = ordinal, .ours = ours, .next = pools};
  pools = pool;
  return pool;
}

/* Returns the pool's record. A handle whose creation was not intercepted is a device's default pool, or a pool of
 * another process. */
static struct pool *find_or_add(cudaMemPool_t handle) {
  struct pool *pool = find_pool(handle);
  int count = pool ? 0 : gasan_rt_kind()->count();
  for (int i = 0; i < count && !pool; i++) {
    cudaMemPool_t standard = NULL;
    if (GASAN_REAL(cudaDeviceGetDefaultMemPool)(&standard, i) == cudaSuccess && standard == handle)
      pool = add_pool(handle, i, true);
  }
  return pool ? pool : add_pool(handle, 0, false);
}

bool gasan_cuda_pool_is_ours(cudaMemPool_t handle, int *ordinal) {
  pthread_mutex_lock(&lock);
  const struct pool *pool = handle ? find_or_add(handle) : NULL;
  bool ours = pool && pool->ours;
  if (ours)
    *ordinal = pool->ordinal;
  pthread_mutex_unlock(&lock);
  return ours;
}

void gasan_cuda_pool_took(cudaMemPool_t handle, uint64_t address, uint64_t size) {
  struct taken *taken = malloc(sizeof *taken);
  pthread_mutex_lock(&lock);
  struct pool *pool = taken ? find_or_add(handle) : NULL;
  if (pool) {
    *taken = (struct taken){.size = size, .pool = pool};
    gasan_map_insert(&taken_chunks, &taken->by_address, address);
    pool->used += size;
    if (pool->used > pool->used_high)
      pool->used_high = pool->used;
  } else {
    free(taken);
  }
  pthread_mutex_unlock(&lock);
}

void gasan_cuda_pool_gave_back(uint64_t address) {
  pthread_mutex_lock(&lock);
  struct taken *taken = GASAN_MAP_OWNER(gasan_map_remove(&taken_chunks, address), struct taken, by_address);
  if (taken)
    taken->pool->used -= taken->size;
  pthread_mutex_unlock(&lock);
  free(taken);
}

void gasan_cuda_pool_created(cudaMemPool_t handle, const struct cudaMemPoolProps *properties) {
  bool ours =
      properties->location.type == cudaMemLocationTypeDevice && properties->handleTypes == cudaMemHandleTypeNone;
  pthread_mutex_lock(&lock);
  struct pool *pool = find_pool(handle);
  if (!pool)
    add_pool(handle, properties->location.id, ours);
  /* The program may have used this address before it was a handle. */
  if (pool) {
    pool->ordinal = properties->location.id;
    pool->ours = ours;
  }
  pthread_mutex_unlock(&lock);
}

void gasan_cuda_pool_destroyed(cudaMemPool_t handle) {
  pthread_mutex_lock(&lock);
  struct pool *pool = find_pool(handle);
  if (pool)
    pool->handle = NULL;
  pthread_mutex_unlock(&lock);
}

void gasan_cuda_pool_opened(cudaMemPool_t handle, const struct cudaMemAccessDesc *accesses, size_t count) {
  pthread_mutex_lock(&lock);
  struct pool *pool = find_or_add(handle);
  for (size_t i = 0; pool && i < count; i++)
    if (accesses[i].location.type != cudaMemLocationTypeDevice || accesses[i].location.id != pool->ordinal)
      pool->ours = false;
  pthread_mutex_unlock(&lock);
}

void gasan_cuda_pool_add_use(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  pthread_mutex_lock(&lock);
  const struct pool *pool = find_pool(handle);
  if (pool && (attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent))
    *(uint64_t *)value += pool->used;
  if (pool && (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh))
    *(uint64_t *)value += pool->used_high;
  pthread_mutex_unlock(&lock);
}

void gasan_cuda_pool_reset_high(cudaMemPool_t handle, enum cudaMemPoolAttr attribute) {
  pthread_mutex_lock(&lock);
  struct pool *pool = find_pool(handle);
  if (pool && (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh))
    pool->used_high = pool->used;
  pthread_mutex_unlock(&lock);
}
