/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the driver API. Memory that the program allocates through libcuda, or through an entry point of libcuda, is
 * recorded as foreign ranges. Calls that gasan and libcudart make are not intercepted, because they use libcuda's own
 * functions. With the CPU device, these calls are not recorded. */
#include "gasan_rt/calls/driver_calls.h"
#include "base/round.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/stack_limit.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/host_canary.h"
#include "gasan_rt/memory/ordered.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define PITCH_ALIGNMENT 512u /* as in memory_calls.c */

static bool watches_memory(void) {
  if (gasan_rt_kind() != &gasan_device_cuda)
    return false;
  struct gasan_rt_device *state = gasan_rt_current();
  return state && state->pool;
}

/* Memory in a context of the program's own lives and ends with that context, so it stays the driver's. */
static bool allocates_from_pool(void) {
  struct gasan_rt_device *state = gasan_door_serves() ? gasan_rt_current() : NULL;
  return state && state->pool && state->device->kind->is_current(state->device);
}

static CUresult noted(CUresult result, enum gasan_foreign_kind kind, uint64_t base, size_t size, const char *api) {
  if (result == CUDA_SUCCESS && base && size && watches_memory())
    gasan_foreign_add(kind, (const void *)(uintptr_t)base, size, gasan_memory_caller(api));
  return result;
}

CUresult gasan_driver_call_mem_alloc(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t size) {
  if (allocates_from_pool())
    return (CUresult)gasan_call_malloc(GASAN_AS_RUNTIME_CALL(call), (void **)pointer, size);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAlloc_v2)(pointer, size);
  return noted(result, GASAN_FOREIGN_DRIVER, result ? 0 : *pointer, size, call->api);
}

/* The runtime's function lacks the element's size, on which only the driver's choice of a pitch depends. */
static CUresult allocate_pitch(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t *pitch, size_t width,
                               size_t height, unsigned element) {
  static struct gasan_driver_call plain = {.api = "cuMemAllocPitch", .symbol = "cuMemAlloc_v2"};
  size_t total = 0, padded = gasan_round_up(width, PITCH_ALIGNMENT);
  if (!pointer || !pitch || padded < width || __builtin_mul_overflow(padded, height, &total))
    return GASAN_DRIVER_REAL(call, cuMemAllocPitch_v2)(pointer, pitch, width, height, element);
  CUresult result = gasan_driver_call_mem_alloc(&plain, pointer, total);
  if (result == CUDA_SUCCESS)
    *pitch = padded;
  return result;
}

CUresult gasan_driver_call_mem_alloc_pitch(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t *pitch,
                                           size_t width, size_t height, unsigned element) {
  if (allocates_from_pool())
    return allocate_pitch(call, pointer, pitch, width, height, element);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAllocPitch_v2)(pointer, pitch, width, height, element);
  return noted(result, GASAN_FOREIGN_DRIVER, result ? 0 : *pointer, result ? 0 : *pitch * height, call->api);
}

/* Returns the bytes that an allocation is larger for its canary. */
static uint32_t canary_room(size_t size, bool managed) {
  return allocates_from_pool() ? gasan_host_canary_room(gasan_rt_current(), size, managed) : 0;
}

/* Records memory that the host sees, with its canary. */
static CUresult noted_on_host(CUresult result, enum gasan_foreign_kind kind, const void *base, size_t size,
                              uint32_t room, const char *api) {
  if (!room)
    return noted(result, kind, (uintptr_t)base, size, api);
  if (result != CUDA_SUCCESS)
    return result;
  const uint64_t number = gasan_host_canary_write(gasan_rt_current(), (char *)base + size, room);
  gasan_foreign_add_with_canary(kind, base, size, room, number, gasan_memory_caller(api));
  return result;
}

CUresult gasan_driver_call_mem_alloc_managed(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t size,
                                             unsigned flags) {
  const uint32_t room = canary_room(size, true);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAllocManaged)(pointer, size + room, flags);
  return noted_on_host(result, GASAN_FOREIGN_DRIVER, result ? NULL : (void *)(uintptr_t)*pointer, size, room,
                       call->api);
}

CUresult gasan_driver_call_mem_alloc_host(struct gasan_driver_call *call, void **pointer, size_t size) {
  const uint32_t room = canary_room(size, false);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAllocHost_v2)(pointer, size + room);
  return noted_on_host(result, GASAN_FOREIGN_DRIVER_HOST, result ? NULL : *pointer, size, room, call->api);
}

CUresult gasan_driver_call_mem_host_alloc(struct gasan_driver_call *call, void **pointer, size_t size, unsigned flags) {
  const uint32_t room = canary_room(size, false);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemHostAlloc)(pointer, size + room, flags);
  return noted_on_host(result, GASAN_FOREIGN_DRIVER_HOST, result ? NULL : *pointer, size, room, call->api);
}

CUresult gasan_driver_call_mem_host_register(struct gasan_driver_call *call, void *pointer, size_t size,
                                             unsigned flags) {
  CUresult result = GASAN_DRIVER_REAL(call, cuMemHostRegister_v2)(pointer, size, flags);
  if (result == CUDA_SUCCESS && watches_memory())
    gasan_foreign_register(pointer, size, call->api);
  return result;
}

CUresult gasan_driver_call_mem_host_unregister(struct gasan_driver_call *call, void *pointer) {
  void *alias = gasan_rt_kind() == &gasan_device_cuda ? gasan_foreign_alias(pointer) : NULL;
  CUresult result = GASAN_DRIVER_REAL(call, cuMemHostUnregister)(pointer);
  if (result == CUDA_SUCCESS)
    gasan_foreign_unregister(pointer, alias);
  return result;
}

/* Records an allocation, unless it is captured: memory that a capture allocates belongs to the graph. */
static CUresult noted_async(CUresult result, CUdeviceptr *pointer, size_t size, CUstream stream, const char *api) {
  bool known = result == CUDA_SUCCESS && gasan_rt_kind() == &gasan_device_cuda && !gasan_capture_in(stream);
  if (known)
    gasan_allocation_stream_set(*pointer, stream);
  return noted(result, GASAN_FOREIGN_POOLED, known ? *pointer : 0, size, api);
}

CUresult gasan_driver_call_mem_alloc_async(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t size,
                                           CUstream stream) {
  if (allocates_from_pool())
    return (CUresult)gasan_call_malloc_async(GASAN_AS_RUNTIME_CALL(call), (void **)pointer, size, stream);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAllocAsync)(pointer, size, stream);
  return noted_async(result, pointer, size, gasan_driver_call_stream(call, stream), call->api);
}

CUresult gasan_driver_call_mem_alloc_from_pool_async(struct gasan_driver_call *call, CUdeviceptr *pointer, size_t size,
                                                     CUmemoryPool pool, CUstream stream) {
  if (allocates_from_pool())
    return (CUresult)gasan_call_malloc_from_pool_async(GASAN_AS_RUNTIME_CALL(call), (void **)pointer, size, pool,
                                                       stream);
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAllocFromPoolAsync)(pointer, size, pool, stream);
  return noted_async(result, pointer, size, gasan_driver_call_stream(call, stream), call->api);
}

/* libcuda's free functions, with the types of the runtime API. */
static cudaError_t free_async(void *pointer, cudaStream_t stream) {
  static struct gasan_driver_call call = {.symbol = "cuMemFreeAsync"};
  return (cudaError_t)GASAN_DRIVER_REAL(&call, cuMemFreeAsync)((CUdeviceptr)(uintptr_t)pointer, stream);
}

static cudaError_t free_async_ptsz(void *pointer, cudaStream_t stream) {
  static struct gasan_driver_call call = {.symbol = "cuMemFreeAsync_ptsz"};
  return (cudaError_t)GASAN_DRIVER_REAL(&call, cuMemFreeAsync)((CUdeviceptr)(uintptr_t)pointer, stream);
}

CUresult gasan_driver_call_mem_free_async(struct gasan_driver_call *call, CUdeviceptr pointer, CUstream stream) {
  if (!pointer || !watches_memory())
    return GASAN_DRIVER_REAL(call, cuMemFreeAsync)(pointer, stream);
  bool legacy = call->default_stream == GASAN_STREAM_LEGACY;
  cudaError_t before = gasan_last_error();
  cudaError_t error = gasan_ordered_free(call->api, (void *)(uintptr_t)pointer, stream,
                                         gasan_driver_call_stream(call, stream), legacy ? free_async : free_async_ptsz);
  gasan_restore_error(before);
  return (CUresult)error;
}

static cudaError_t free_device(void *pointer) {
  static struct gasan_driver_call call = {.symbol = "cuMemFree_v2"};
  return (cudaError_t)GASAN_DRIVER_REAL(&call, cuMemFree_v2)((CUdeviceptr)(uintptr_t)pointer);
}

static cudaError_t free_host(void *pointer) {
  static struct gasan_driver_call call = {.symbol = "cuMemFreeHost"};
  return (cudaError_t)GASAN_DRIVER_REAL(&call, cuMemFreeHost)(pointer);
}

/* The driver's errors have the same numbers as the runtime's. But an error of the driver API must not become the
 * runtime's last error. */
CUresult gasan_driver_call_mem_free(struct gasan_driver_call *call, CUdeviceptr pointer) {
  if (!pointer || !watches_memory())
    return GASAN_DRIVER_REAL(call, cuMemFree_v2)(pointer);
  cudaError_t before = gasan_last_error();
  cudaError_t error = gasan_memory_free_any(call->api, (void *)(uintptr_t)pointer, free_device);
  gasan_restore_error(before);
  return (CUresult)error;
}

CUresult gasan_driver_call_mem_free_host(struct gasan_driver_call *call, void *pointer) {
  if (!pointer || !watches_memory())
    return GASAN_DRIVER_REAL(call, cuMemFreeHost)(pointer);
  cudaError_t before = gasan_last_error();
  cudaError_t error = gasan_foreign_free_host(call->api, pointer, free_host);
  gasan_restore_error(before);
  return (CUresult)error;
}

CUresult gasan_driver_call_mem_map(struct gasan_driver_call *call, CUdeviceptr pointer, size_t size, size_t offset,
                                   CUmemGenericAllocationHandle handle, unsigned long long flags) {
  CUresult result = GASAN_DRIVER_REAL(call, cuMemMap)(pointer, size, offset, handle, flags);
  return noted(result, GASAN_FOREIGN_MAPPED, pointer, size, call->api);
}

/* Records that the range was unmapped. Reports a second unmapping, for which the driver only returns "invalid
 * value". */
static CUresult unmapped(CUresult result, CUdeviceptr pointer, size_t size, const char *api) {
  struct gasan_foreign range;
  void *base = (void *)(uintptr_t)pointer;
  if ((result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE) || !watches_memory())
    return result;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  if (result == CUDA_SUCCESS)
    gasan_foreign_end_inside(base, size, GASAN_FOREIGN_MAPPED, caller);
  else if (gasan_foreign_find(base, &range) && range.kind == GASAN_FOREIGN_MAPPED && range.chunk.base == pointer &&
           range.chunk.state == GASAN_CHUNK_FREED)
    gasan_report_double_free(gasan_rt_current(), &caller, pointer, &range.chunk);
  return result;
}

CUresult gasan_driver_call_mem_unmap(struct gasan_driver_call *call, CUdeviceptr pointer, size_t size) {
  return unmapped(GASAN_DRIVER_REAL(call, cuMemUnmap)(pointer, size), pointer, size, call->api);
}

CUresult gasan_driver_call_mem_address_free(struct gasan_driver_call *call, CUdeviceptr pointer, size_t size) {
  CUresult result = GASAN_DRIVER_REAL(call, cuMemAddressFree)(pointer, size);
  return result == CUDA_SUCCESS ? unmapped(result, pointer, size, call->api) : result;
}

CUresult gasan_driver_call_ctx_set_limit(struct gasan_driver_call *call, CUlimit limit, size_t value) {
  struct gasan_rt_device *state = limit == CU_LIMIT_STACK_SIZE && watches_memory() ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_before_change(state);
  CUresult result = GASAN_DRIVER_REAL(call, cuCtxSetLimit)(limit, value);
  if (state && result == CUDA_SUCCESS)
    gasan_stack_limit_changed(state);
  return result;
}

CUresult gasan_driver_call_ctx_get_limit(struct gasan_driver_call *call, size_t *value, CUlimit limit) {
  CUresult result = GASAN_DRIVER_REAL(call, cuCtxGetLimit)(value, limit);
  struct gasan_rt_device *state =
      limit == CU_LIMIT_STACK_SIZE && result == CUDA_SUCCESS && watches_memory() ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_read(state, value);
  return result;
}

CUresult gasan_driver_call_get_proc_address(struct gasan_driver_call *call, const char *name, void **function,
                                            int version, cuuint64_t flags, CUdriverProcAddressQueryResult *found) {
  CUresult result = GASAN_DRIVER_REAL(call, cuGetProcAddress_v2)(name, function, version, flags, found);
  if (result == CUDA_SUCCESS)
    gasan_driver_calls_replace(name, function, version,
                               flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? GASAN_STREAM_THREAD
                                                                                     : GASAN_STREAM_LEGACY);
  return result;
}

/* Replaces the function that the driver has returned. The flags select the default stream; without such a flag it is
 * `stream`. */
static cudaError_t replaced(cudaError_t error, const char *name, void **function, unsigned version,
                            unsigned long long flags, enum gasan_default_stream stream) {
  if (flags & cudaEnablePerThreadDefaultStream)
    stream = GASAN_STREAM_THREAD;
  else if (flags & cudaEnableLegacyStream)
    stream = GASAN_STREAM_LEGACY;
  if (error == cudaSuccess)
    gasan_driver_calls_replace(name, function, (int)version, stream);
  return error;
}

cudaError_t gasan_call_get_driver_entry_point(struct gasan_call *call, const char *name, void **function,
                                              unsigned long long flags, enum cudaDriverEntryPointQueryResult *found) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGetDriverEntryPoint)(name, function, flags, found);
  return replaced(error, name, function, CUDART_VERSION, flags, call->default_stream);
}

cudaError_t gasan_call_get_driver_entry_point_by_version(struct gasan_call *call, const char *name, void **function,
                                                         unsigned version, unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *found) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGetDriverEntryPointByVersion)(name, function, version, flags, found);
  return replaced(error, name, function, version, flags, call->default_stream);
}
