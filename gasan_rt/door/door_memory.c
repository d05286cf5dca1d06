/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Questions about memory of the pool, which the driver would answer for whole pages, and its end. */
#include <string.h>

#include "gasan_rt/calls/waits.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/memory/foreign.h"

/* Finds the allocation that holds the address, if the driver knows it as another range: a chunk of the pool, or memory
 * with a canary behind it. Returns false for other memory, and for memory of the pool that is not live. Then *ours is
 * true for memory of the pool. */
static bool find_range(CUdeviceptr pointer, uint64_t *base, uint64_t *size, bool *ours) {
  struct gasan_rt_device *owner = gasan_rt_started() ? gasan_rt_owner((const void *)(uintptr_t)pointer) : NULL;
  struct gasan_chunk chunk;
  struct gasan_foreign range;
  *ours = owner;
  if (owner) {
    if (!gasan_pool_find(owner->pool, pointer, &chunk))
      return false;
  } else {
    if (!gasan_foreign_find((const void *)(uintptr_t)pointer, &range) || !range.chunk.canary_right)
      return false;
    chunk = range.chunk;
  }
  *base = chunk.base;
  *size = chunk.size;
  return chunk.state == GASAN_CHUNK_LIVE && pointer - chunk.base < chunk.size;
}

CUresult gasan_door_call_mem_get_address_range(struct gasan_driver_call *call, CUdeviceptr *base, size_t *size,
                                               CUdeviceptr pointer) {
  uint64_t start, bytes;
  bool ours;
  if (!find_range(pointer, &start, &bytes, &ours))
    return ours ? CUDA_ERROR_NOT_FOUND : GASAN_DRIVER_REAL(call, cuMemGetAddressRange_v2)(base, size, pointer);
  if (base)
    *base = start;
  if (size)
    *size = bytes;
  return CUDA_SUCCESS;
}

CUresult gasan_door_call_ipc_get_mem_handle(struct gasan_driver_call *call, CUipcMemHandle *handle,
                                            CUdeviceptr pointer) {
  return (CUresult)gasan_call_ipc_get_mem_handle(GASAN_AS_RUNTIME_CALL(call), (cudaIpcMemHandle_t *)handle,
                                                 (void *)(uintptr_t)pointer);
}

CUresult gasan_door_call_ipc_open_mem_handle(struct gasan_driver_call *call, CUdeviceptr *pointer,
                                             CUipcMemHandle handle, unsigned flags) {
  cudaIpcMemHandle_t same;
  _Static_assert(sizeof same == sizeof handle, "the two APIs have one kind of handles");
  memcpy(&same, &handle, sizeof same);
  return (CUresult)gasan_call_ipc_open_mem_handle(GASAN_AS_RUNTIME_CALL(call), (void **)pointer, same, flags);
}

CUresult gasan_door_call_ipc_close_mem_handle(struct gasan_driver_call *call, CUdeviceptr pointer) {
  return (CUresult)gasan_call_ipc_close_mem_handle(GASAN_AS_RUNTIME_CALL(call), (void *)(uintptr_t)pointer);
}

/* Answers for the whole allocation, as the driver does for memory of its own. Returns false for other memory and other
 * attributes. */
static bool answer_range(CUpointer_attribute attribute, void *data, CUdeviceptr pointer) {
  uint64_t base, size;
  bool ours;
  if (!data || !find_range(pointer, &base, &size, &ours))
    return false;
  if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
    *(CUdeviceptr *)data = base;
  else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
    *(size_t *)data = size;
  else
    return false;
  return true;
}

CUresult gasan_door_call_pointer_get_attribute(struct gasan_driver_call *call, void *data,
                                               CUpointer_attribute attribute, CUdeviceptr pointer) {
  CUresult result = GASAN_DRIVER_REAL(call, cuPointerGetAttribute)(data, attribute, pointer);
  if (result == CUDA_SUCCESS)
    answer_range(attribute, data, pointer);
  return result;
}

CUresult gasan_door_call_pointer_get_attributes(struct gasan_driver_call *call, unsigned count,
                                                CUpointer_attribute *attributes, void **data, CUdeviceptr pointer) {
  CUresult result = GASAN_DRIVER_REAL(call, cuPointerGetAttributes)(count, attributes, data, pointer);
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++)
    answer_range(attributes[i], data[i], pointer);
  return result;
}

/* The context keeps the pool and gasan's own memory, so the driver does not reset it. */
CUresult gasan_door_call_device_primary_ctx_reset(struct gasan_driver_call *call, CUdevice device) {
  struct gasan_rt_device *state = device >= 0 && device < GASAN_RT_DEVICES ? gasan_rt_device(device) : NULL;
  return state ? (CUresult)gasan_reset_device(state) : GASAN_DRIVER_REAL(call, cuDevicePrimaryCtxReset_v2)(device);
}

/* The function of CUDA 11. */
CUresult gasan_door_call_get_proc_address(struct gasan_driver_call *call, const char *name, void **function,
                                          int version, cuuint64_t flags) {
  typedef CUresult (*old_function)(const char *, void **, int, cuuint64_t);
  CUresult result = ((old_function)gasan_driver_call_target(call))(name, function, version, flags);
  if (result == CUDA_SUCCESS)
    gasan_driver_calls_replace(name, function, version,
                               flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? GASAN_STREAM_THREAD
                                                                                     : GASAN_STREAM_LEGACY);
  return result;
}
