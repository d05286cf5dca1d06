/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a device's context current for our own calls, and converts the driver's errors. */
#include "device/cuda/gpu.h"

struct gasan_status gasan_cuda_status(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return gasan_status_make(GASAN_OK);
  case CUDA_ERROR_OUT_OF_MEMORY:
    return gasan_status_driver(GASAN_ERR_OUT_OF_MEMORY, result);
  case CUDA_ERROR_INVALID_VALUE:
    return gasan_status_driver(GASAN_ERR_INVALID, result);
  case CUDA_ERROR_NOT_FOUND:
    return gasan_status_driver(GASAN_ERR_NOT_FOUND, result);
  case CUDA_ERROR_NOT_SUPPORTED:
    return gasan_status_driver(GASAN_ERR_NOT_SUPPORTED, result);
  default:
    return gasan_status_driver(GASAN_ERR_DEVICE, result);
  }
}

struct gasan_status gasan_cuda_enter(struct gasan_cuda_device *device, struct gasan_cuda_scope *scope) {
  scope->entered = false;
  CUresult result = CU(cuCtxPushCurrent)(device->context);
  if (result != CUDA_SUCCESS)
    return gasan_cuda_status(result);
  scope->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  scope->entered = CU(cuThreadExchangeStreamCaptureMode)(&scope->mode) == CUDA_SUCCESS;
  return gasan_status_make(GASAN_OK);
}

void gasan_cuda_leave(struct gasan_cuda_scope *scope) {
  if (scope->entered)
    CU(cuThreadExchangeStreamCaptureMode)(&scope->mode);
  CUcontext context;
  CU(cuCtxPopCurrent)(&context);
}
