/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/foreign_free.h"

#include <string.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/host_canary.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

bool gasan_foreign_watches(void) {
  struct gasan_rt_device *state = gasan_rt_current();
  return state && state->pool;
}

static void give_back(const struct gasan_foreign *range) {
  void *base = (void *)(uintptr_t)range->chunk.base;
  /* Ignore errors: no call of the program can return them, and after a device error the memory is lost anyway. */
  if (range->kind == GASAN_FOREIGN_PINNED)
    (void)GASAN_REAL(cudaFreeHost)(base);
  else
    (void)GASAN_REAL(cudaFree)(base);
}

static bool give_back_beyond(uint64_t limit) {
  struct gasan_foreign range;
  bool any = false;
  for (; gasan_foreign_excess(limit, &range); any = true)
    give_back(&range);
  return any;
}

bool gasan_foreign_give_back(void) {
  return give_back_beyond(0);
}

static uint64_t quarantine_size(void) {
  int size = gasan_options()->quarantine_size_mb;
  return size > 0 ? (uint64_t)size << 20 : 0;
}

cudaError_t gasan_foreign_note(cudaError_t error, enum gasan_foreign_kind kind, void **pointer, size_t size,
                               const char *api) {
  if (error == cudaSuccess && pointer && *pointer && size && gasan_foreign_watches())
    gasan_foreign_add(kind, *pointer, size, gasan_memory_caller(api));
  return error;
}

void *gasan_foreign_alias(void *pointer) {
  void *alias = NULL;
  struct gasan_foreign range;
  if (!gasan_foreign_find(pointer, &range) || range.kind != GASAN_FOREIGN_REGISTERED)
    return NULL;
  if (GASAN_REAL(cudaHostGetDevicePointer)(&alias, pointer, 0) == cudaSuccess)
    return alias == pointer ? NULL : alias;
  (void)GASAN_REAL(cudaGetLastError)(); /* memory that is registered but not mapped */
  return NULL;
}

void gasan_foreign_register(void *pointer, size_t size, const char *api) {
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  gasan_foreign_add(GASAN_FOREIGN_REGISTERED, pointer, size, caller);
  void *alias = gasan_foreign_alias(pointer);
  if (alias)
    gasan_foreign_add(GASAN_FOREIGN_REGISTERED, alias, size, caller);
}

void gasan_foreign_unregister(void *pointer, void *alias) {
  void *const addresses[] = {pointer, alias};
  struct gasan_foreign range;
  for (int i = 0; i < 2; i++)
    if (addresses[i] && gasan_foreign_find(addresses[i], &range) && range.kind == GASAN_FOREIGN_REGISTERED)
      gasan_foreign_forget_at(addresses[i]);
}

/* Waits for devices before a free. `wait` is true for managed memory, whose free waits, like cudaFree, until no kernel
 * can use the memory. For page-locked memory CUDA promises no wait, and a kernel may be waiting for this thread, so
 * this function does not wait for a busy device. In both cases, returns an error of the device. */
static cudaError_t settle_devices(bool wait) {
  cudaError_t result = cudaSuccess;
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = gasan_rt_device(i);
    if (!state || (!wait && !state->device->kind->idle(state->device)))
      continue;
    cudaError_t error = gasan_cuda_error(gasan_rt_synchronize(state));
    gasan_rt_hooks()->waited(state, error);
    if (error != cudaSuccess)
      result = error;
  }
  return result;
}

/* Returns true if the freed range goes to the quarantine. A large range does not, because it would evict all others. */
static bool goes_to_quarantine(uint32_t kinds, const void *pointer) {
  struct gasan_foreign range;
  return kinds & (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_PINNED) && gasan_foreign_find(pointer, &range) &&
         range.kind & (GASAN_FOREIGN_MANAGED | GASAN_FOREIGN_PINNED) && range.chunk.size <= quarantine_size() / 4 &&
         !gasan_capture_active();
}

/* Frees unknown memory. Calls CUDA's function first: memory that is freed according to our records may have been
 * allocated again by calls that we do not intercept. */
static cudaError_t free_unknown(struct gasan_pool_caller caller, void *pointer, cudaError_t (*free_real)(void *),
                                const struct gasan_foreign *range) {
  cudaError_t error = free_real(pointer);
  struct gasan_rt_device *state = gasan_rt_current();
  if (error != cudaErrorInvalidValue || !state)
    return error;
  if (range)
    gasan_report_double_free(state, &caller, (uint64_t)(uintptr_t)pointer, &range->chunk);
  else
    gasan_report_bad_free(state, &caller, (uint64_t)(uintptr_t)pointer, NULL);
  return error;
}

cudaError_t gasan_foreign_free(const char *api, void *pointer, uint32_t kinds, cudaError_t (*free_real)(void *)) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (!pointer || !gasan_foreign_watches())
    return free_real(pointer);
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  bool quarantine = goes_to_quarantine(kinds, pointer), reported = true;
  cudaError_t error = quarantine ? settle_devices(kinds & GASAN_FOREIGN_MANAGED) : cudaSuccess;
  struct gasan_foreign range;
  if (error == cudaErrorCudartUnloading) /* the driver has unloaded: see gasan_memory_free */
    gasan_foreign_end(pointer, kinds, caller, false, &range);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  error = (cudaError_t)gasan_host_canary_check(state, &caller, pointer);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  switch (gasan_foreign_end(pointer, kinds, caller, quarantine, &range)) {
  case GASAN_FOREIGN_ENDED:
    if (quarantine) {
      give_back_beyond(quarantine_size());
      return cudaSuccess;
    }
    error = free_real(pointer);
    if (error == cudaSuccess)
      gasan_allocation_stream_forget(address);
    else
      gasan_foreign_revive(pointer);
    return error;
  case GASAN_FOREIGN_NOT_KNOWN:
    return free_unknown(caller, pointer, free_real, NULL);
  case GASAN_FOREIGN_FREED:
    if (!range.quarantined)
      return free_unknown(caller, pointer, free_real, &range);
    reported = gasan_report_double_free(state, &caller, address, &range.chunk);
    break;
  case GASAN_FOREIGN_OTHER_KIND:
    reported = gasan_report_mismatch(state, &caller, address, &range.chunk);
    break;
  case GASAN_FOREIGN_INTERIOR:
    reported = gasan_report_bad_free(state, &caller, address, &range.chunk);
    break;
  }
  return reported ? gasan_set_error(cudaErrorInvalidValue) : free_real(pointer);
}

/* Reports cudaFreeHost of the pool's memory. The chunk's record decides which error it is. */
static cudaError_t free_host_in_pool(struct gasan_rt_device *owner, const char *api, void *pointer) {
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  struct gasan_chunk chunk;
  if (!gasan_pool_find(owner->pool, address, &chunk))
    gasan_report_bad_free(owner, &caller, address, NULL);
  else if (chunk.base != address)
    gasan_report_bad_free(owner, &caller, address, &chunk);
  else if (chunk.state == GASAN_CHUNK_FREED)
    gasan_report_double_free(owner, &caller, address, &chunk);
  else
    gasan_report_mismatch(owner, &caller, address, &chunk);
  return gasan_set_error(cudaErrorInvalidValue);
}

cudaError_t gasan_foreign_free_host(const char *api, void *pointer, cudaError_t (*free_real)(void *)) {
  gasan_rt_kind();
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  if (owner)
    return free_host_in_pool(owner, api, pointer);
  return gasan_foreign_free(api, pointer, GASAN_FOREIGN_FOR_FREE_HOST, free_real);
}

bool gasan_foreign_is_free(const void *pointer) {
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  struct gasan_foreign range;
  uint64_t address = (uint64_t)(uintptr_t)pointer, fault;
  struct gasan_chunk chunk;
  /* The memory of a sub-allocator's heap is allocated, also where no region is. */
  if (owner)
    return !gasan_pool_covers(owner->pool, address, 1, &fault) &&
           !(gasan_pool_find(owner->pool, address, &chunk) && chunk.is_divided && address - chunk.base < chunk.size);
  return gasan_foreign_find(pointer, &range) && range.quarantined;
}
