/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that read the thread's last error: CUDA's, or that of a call that we refused. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_error.h"

cudaError_t gasan_call_get_last_error(struct gasan_call *call) {
  cudaError_t theirs = GASAN_CALL_REAL(call, cudaGetLastError)();
  gasan_device_error_seen(theirs);
  cudaError_t ours = gasan_take_error();
  return theirs != cudaSuccess ? theirs : ours;
}

cudaError_t gasan_call_peek_at_last_error(struct gasan_call *call) {
  cudaError_t theirs = GASAN_CALL_REAL(call, cudaPeekAtLastError)();
  gasan_device_error_seen(theirs);
  return theirs != cudaSuccess ? theirs : gasan_last_error();
}
