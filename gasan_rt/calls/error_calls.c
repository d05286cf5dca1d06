/* The thread's last error: CUDA's own, or one of a call that we refused. */
#include <cuda_runtime_api.h>

#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_error.h"

EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t ours = gasan_last_error(), theirs = GASAN_REAL(cudaGetLastError)();
  gasan_device_error_seen(theirs);
  gasan_restore_error(cudaSuccess);
  return theirs != cudaSuccess ? theirs : ours;
}

EXPORT cudaError_t cudaPeekAtLastError(void) {
  cudaError_t theirs = GASAN_REAL(cudaPeekAtLastError)();
  gasan_device_error_seen(theirs);
  return theirs != cudaSuccess ? theirs : gasan_last_error();
}
