/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that get and set device limits: limits that the runtime changes, and limits that the runtime's memory must
 * respect. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/stack_limit.h"
#include "gasan_rt/memory/device_heap.h"

/* CUDA refuses a new heap size once a kernel has used CUDA's heap. Kernels with checks use the runtime's heap. */
cudaError_t gasan_call_device_set_limit(struct gasan_call *call, enum cudaLimit limit, size_t value) {
  bool heap = limit == cudaLimitMallocHeapSize, stack = limit == cudaLimitStackSize;
  struct gasan_rt_device *state = heap || stack ? gasan_rt_current() : NULL;
  if (state && heap && gasan_heap_is_used(state))
    return gasan_set_error(cudaErrorInvalidValue);
  if (state && stack)
    gasan_stack_limit_before_change(state);
  cudaError_t error = GASAN_CALL_REAL(call, cudaDeviceSetLimit)(limit, value);
  if (state && heap && error == cudaSuccess)
    gasan_registry_resize_heap(state);
  if (state && stack && error == cudaSuccess)
    gasan_stack_limit_changed(state);
  return error;
}

cudaError_t gasan_call_device_get_limit(struct gasan_call *call, size_t *value, enum cudaLimit limit) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaDeviceGetLimit)(value, limit);
  struct gasan_rt_device *state = limit == cudaLimitStackSize && error == cudaSuccess ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_read(state, value);
  return error;
}
