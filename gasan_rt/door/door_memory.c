/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Questions about memory of the pool, which the driver would answer for whole pages. */
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/door/door_calls.h"

CUresult gasan_door_call_mem_get_address_range(struct gasan_driver_call *call, CUdeviceptr *base, size_t *size,
                                               CUdeviceptr pointer) {
  struct gasan_rt_device *owner = gasan_rt_started() ? gasan_rt_owner((const void *)(uintptr_t)pointer) : NULL;
  struct gasan_chunk chunk;
  if (!owner)
    return GASAN_DRIVER_REAL(call, cuMemGetAddressRange_v2)(base, size, pointer);
  if (!gasan_pool_find(owner->pool, pointer, &chunk) || chunk.state != GASAN_CHUNK_LIVE ||
      pointer - chunk.base >= chunk.size)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = chunk.base;
  if (size)
    *size = chunk.size;
  return CUDA_SUCCESS;
}

CUresult gasan_door_call_ipc_get_mem_handle(struct gasan_driver_call *call, CUipcMemHandle *handle,
                                            CUdeviceptr pointer) {
  return (CUresult)gasan_call_ipc_get_mem_handle(GASAN_AS_RUNTIME_CALL(call), (cudaIpcMemHandle_t *)handle,
                                                 (void *)(uintptr_t)pointer);
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
