/* Allocation and freeing: cudaMalloc and its relatives take chunks from the pool. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/allocate.h"
#include "gasan_rt/memory/ordered.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "gasan_rt/memory/upload.h"

#define EXPORT __attribute__((visibility("default")))

struct gasan_pool_caller gasan_memory_caller(const char *api) {
  return (struct gasan_pool_caller){api, gasan_stack_capture(api), gasan_thread_number()};
}

cudaError_t gasan_memory_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size) {
  /* First what is known of freed memory, then new memory: its addresses may be given again now. */
  gasan_faults_peek(state);
  gasan_ordered_poll();
  uint64_t address = 0;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_status status = gasan_pool_allocate(state->pool, size, caller, &address);
  /* Memory that is freed but held, and what a stream is about to free, is the device's, too. */
  if (status.code == GASAN_ERR_OUT_OF_MEMORY) {
    gasan_ordered_settle_all();
    if (!gasan_capture_active())
      gasan_foreign_give_back();
    status = gasan_pool_allocate(state->pool, size, caller, &address);
  }
  if (gasan_ok(status)) {
    status = gasan_upload_new_chunk(state);
    if (!gasan_ok(status))
      gasan_pool_free(state->pool, address, caller, NULL);
  }
  if (!gasan_ok(status)) {
    if (gasan_verbosity() >= 1)
      gasan_rt_warn("%s of %zu bytes failed: %s (driver error %d)", api, size, gasan_status_text(status),
                    status.driver_error);
    gasan_device_error_seen(gasan_rt_cuda_error(status));
    return gasan_set_error(gasan_rt_cuda_error(status));
  }
  *pointer = (void *)(uintptr_t)address;
  return cudaSuccess;
}

EXPORT cudaError_t cudaMalloc(void **pointer, size_t size) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!state || !state->pool || !pointer || size == 0 || gasan_capture_forbids())
    return GASAN_REAL(cudaMalloc)(pointer, size);
  return gasan_memory_allocate(state, "cudaMalloc", pointer, size);
}

/* The real runtime chooses the pitch, from the device's texture alignment; 512 suits every GPU so far. */
#define PITCH_ALIGNMENT 512u

static bool padded(size_t width, size_t rows, size_t *pitch, size_t *total) {
  *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  return *pitch >= width && !__builtin_mul_overflow(*pitch, rows, total);
}

EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t padded_width = 0, total = 0;
  if (!state || !state->pool || !pointer || !pitch || width == 0 || height == 0 ||
      !padded(width, height, &padded_width, &total) || gasan_capture_forbids())
    return GASAN_REAL(cudaMallocPitch)(pointer, pitch, width, height);
  cudaError_t error = gasan_memory_allocate(state, "cudaMallocPitch", pointer, total);
  if (error == cudaSuccess)
    *pitch = padded_width;
  return error;
}

EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  struct gasan_rt_device *state = gasan_rt_current();
  size_t pitch = 0, rows = 0, total = 0;
  if (!state || !state->pool || !pitched || extent.width == 0 || extent.height == 0 || extent.depth == 0  || __builtin_mul_overflow(extent.height, extent.depth, &rows) ||
      !padded(extent.width, rows, &pitch, &total) || gasan_capture_forbids())
    return GASAN_REAL(cudaMalloc3D)(pitched, extent);
  void *pointer = NULL;
  cudaError_t error = gasan_memory_allocate(state, "cudaMalloc3D", &pointer, total);
  if (error == cudaSuccess)
    *pitched = (struct cudaPitchedPtr){pointer, pitch, extent.width, extent.height};
  return error;
}

cudaError_t gasan_memory_free_now(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address) {
  struct gasan_chunk chunk;
  bool reported = false;
  switch (gasan_pool_free(owner->pool, address, caller, &chunk)) {
  case GASAN_POOL_FREED:
    gasan_ordered_forget(address);
    if (gasan_options()->strict_temporal) /* kernels that run now are to see it */
      (void)gasan_rt_flush(owner);
    return cudaSuccess;
  case GASAN_POOL_DOUBLE_FREE:
    reported = gasan_report_double_free(owner, &caller, address, &chunk);
    break;
  case GASAN_POOL_NOT_A_CHUNK:
  case GASAN_POOL_NOT_IN_WINDOW:
    reported = gasan_report_bad_free(owner, &caller, address, &chunk);
    break;
  }
  return reported ? gasan_set_error(cudaErrorInvalidValue) : cudaSuccess;
}

/* While a stream captures nobody may wait for the device: frees are kept until the last capture has ended. */
struct kept_free {
  struct gasan_rt_device *owner;
  struct gasan_pool_caller caller;
  uint64_t address;
  struct kept_free *next;
};
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept_free *kept, **kept_end = &kept;

static bool keep_free(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address) {
  struct kept_free *entry = malloc(sizeof *entry);
  if (!entry)
    return false;
  *entry = (struct kept_free){owner, caller, address, NULL};
  pthread_mutex_lock(&kept_lock);
  *kept_end = entry;
  kept_end = &entry->next;
  pthread_mutex_unlock(&kept_lock);
  return true;
}

void gasan_memory_free_kept(void) {
  pthread_mutex_lock(&kept_lock);
  struct kept_free *entry = kept;
  kept = NULL;
  kept_end = &kept;
  pthread_mutex_unlock(&kept_lock);
  while (entry) {
    struct kept_free *next = entry->next;
    if (gasan_ok(entry->owner->device->kind->synchronize(entry->owner->device)))
      gasan_memory_free_now(entry->owner, entry->caller, entry->address);
    free(entry);
    entry = next;
  }
}

/* Like the real cudaFree, waits until no kernel can use the memory: only then may it be poisoned. */
cudaError_t gasan_memory_free(struct gasan_rt_device *owner, const char *api, void *pointer) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (gasan_capture_active() && keep_free(owner, gasan_memory_caller(api), address))
    return cudaSuccess;
  uint64_t begun = gasan_upload_wait_begins(owner);
  cudaError_t error = gasan_rt_cuda_error(owner->device->kind->synchronize(owner->device));
  gasan_faults_collect(owner, error);
  if (error == cudaSuccess)
    error = gasan_rt_cuda_error(gasan_peers_synchronize(owner));
  gasan_ordered_poll();
  /* The driver is gone before the last destructors are: nothing is left to wait for, and it is no leak. */
  if (error == cudaErrorCudartUnloading)
    gasan_pool_free(owner->pool, address, gasan_memory_caller(api), NULL);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  gasan_upload_wait_ended(owner, begun);
  return gasan_memory_free_now(owner, gasan_memory_caller(api), address);
}

cudaError_t gasan_memory_free_any(const char *api, void *pointer, cudaError_t (*free_real)(void *)) {
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  if (owner)
    return gasan_memory_free(owner, api, pointer);
  cudaError_t error = gasan_foreign_free(api, pointer, GASAN_FOREIGN_FOR_FREE, free_real);
  gasan_rt_each_device(gasan_faults_peek);
  return error;
}

EXPORT cudaError_t cudaFree(void *pointer) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!pointer || !state)
    return GASAN_REAL(cudaFree)(pointer);
  return gasan_memory_free_any("cudaFree", pointer, GASAN_REAL(cudaFree));
}
