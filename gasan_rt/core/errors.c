#include "gasan_rt/core/errors.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/launch/device_error.h"
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

#define EXPORT __attribute__((visibility("default")))

EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t ours = last_error, theirs = GASAN_REAL(cudaGetLastError)();
  gasan_device_error_seen(theirs);
  last_error = cudaSuccess;
  return theirs != cudaSuccess ? theirs : ours;
}

EXPORT cudaError_t cudaPeekAtLastError(void) {
  cudaError_t theirs = GASAN_REAL(cudaPeekAtLastError)();
  gasan_device_error_seen(theirs);
  return theirs != cudaSuccess ? theirs : last_error;
}
