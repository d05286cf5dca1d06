/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/errors.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/core/runtime.h"

static __thread cudaError_t last_error;

cudaError_t gasan_set_error(cudaError_t error) {
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

cudaError_t gasan_last_error(void) {
  return last_error;
}

cudaError_t gasan_take_error(void) {
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

void gasan_restore_error(cudaError_t error) {
  last_error = error;
}

cudaError_t gasan_waiting_error(void) {
  return GASAN_REAL(cudaPeekAtLastError)();
}

void gasan_forget_error(cudaError_t waiting) {
  GASAN_REAL(cudaGetLastError)();
  gasan_set_error(waiting);
}

cudaError_t gasan_cuda_error(struct gasan_status status) {
  switch (status.code) {
  case GASAN_OK:
    return cudaSuccess;
  case GASAN_ERR_OUT_OF_MEMORY:
  case GASAN_ERR_OUT_OF_HOST_MEMORY:
  case GASAN_ERR_OUT_OF_ADDRESSES:
    return cudaErrorMemoryAllocation;
  case GASAN_ERR_NOT_SUPPORTED:
    return cudaErrorNotSupported;
  case GASAN_ERR_NO_DEVICE:
    return cudaErrorInvalidDevice;
  default:
    /* CUresult and cudaError_t share their numbers for driver errors. */
    return status.driver_error ? (cudaError_t)status.driver_error : cudaErrorInvalidValue;
  }
}
