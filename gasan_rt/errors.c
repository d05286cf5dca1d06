#include "gasan_rt/errors.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/runtime.h"

static __thread cudaError_t last_error;

cudaError_t gasan_set_error(cudaError_t error) {
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t ours = last_error, theirs = GASAN_REAL(cudaGetLastError)();
  last_error = cudaSuccess;
  return ours != cudaSuccess ? ours : theirs;
}

EXPORT cudaError_t cudaPeekAtLastError(void) {
  return last_error != cudaSuccess ? last_error : GASAN_REAL(cudaPeekAtLastError)();
}
