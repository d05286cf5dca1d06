/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/free.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/release.h"
#include "gasan_rt/memory/upload.h"

/* Waiting for the device is forbidden while a stream captures. Frees are deferred until the last capture has ended. */
struct deferred_free {
  struct gasan_rt_device *owner;
  struct gasan_pool_caller caller;
  uint64_t address;
  struct deferred_free *next;
};
static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
static struct deferred_free *deferred, **deferred_end = &deferred;

static bool defer_free(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address) {
  struct deferred_free *entry = malloc(sizeof *entry);
  if (!entry)
    return false;
  *entry = (struct deferred_free){owner, caller, address, NULL};
  pthread_mutex_lock(&deferred_lock);
  *deferred_end = entry;
  deferred_end = &entry->next;
  pthread_mutex_unlock(&deferred_lock);
  return true;
}

void gasan_memory_free_deferred(void) {
  pthread_mutex_lock(&deferred_lock);
  struct deferred_free *entry = deferred;
  deferred = NULL;
  deferred_end = &deferred;
  pthread_mutex_unlock(&deferred_lock);
  while (entry) {
    struct deferred_free *next = entry->next;
    if (gasan_ok(gasan_rt_synchronize(entry->owner)))
      gasan_memory_release(entry->owner, entry->caller, entry->address);
    free(entry);
    entry = next;
  }
}

/* Waits before it frees, like CUDA's cudaFree: the memory may be poisoned only when no kernel can use it. */
cudaError_t gasan_memory_free(struct gasan_rt_device *owner, const char *api, void *pointer) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (gasan_capture_active() && defer_free(owner, gasan_memory_caller(api), address))
    return cudaSuccess;
  uint64_t begun = gasan_upload_wait_begins(owner);
  cudaError_t error = gasan_cuda_error(gasan_rt_synchronize(owner));
  gasan_rt_hooks()->waited(owner, error);
  if (error == cudaSuccess)
    error = gasan_cuda_error(gasan_peers_synchronize(owner));
  gasan_pending_frees_poll();
  /* The driver unloads before the program's last destructors run. Then there is nothing to wait for, and the chunk is
   * not a leak. */
  if (error == cudaErrorCudartUnloading)
    gasan_pool_free(owner->pool, address, gasan_memory_caller(api), NULL);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  gasan_upload_wait_ended(owner, begun);
  return gasan_memory_release(owner, gasan_memory_caller(api), address);
}

cudaError_t gasan_memory_free_any(const char *api, void *pointer, cudaError_t (*free_real)(void *)) {
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  if (owner)
    return gasan_memory_free(owner, api, pointer);
  cudaError_t error = gasan_foreign_free(api, pointer, GASAN_FOREIGN_FOR_FREE, free_real);
  gasan_rt_each_device(gasan_rt_hooks()->peek);
  return error;
}
