/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/release.h"

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/cuda_pool.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

cudaError_t gasan_memory_release(struct gasan_rt_device *owner, struct gasan_pool_caller caller, uint64_t address) {
  struct gasan_chunk chunk;
  bool reported = false;
  gasan_rt_hooks()->peek(owner); /* a check between kernels knows more than the comparison here */
  gasan_canary_check(owner, &caller, address);
  gasan_canary_remove(owner, address);
  switch (gasan_pool_free(owner->pool, address, caller, &chunk)) {
  case GASAN_POOL_FREED:
    gasan_allocation_stream_forget(address);
    gasan_cuda_pool_gave_back(address);
    /* Running kernels must see the free. */
    if (gasan_options()->strict_temporal)
      (void)gasan_upload(owner);
    return cudaSuccess;
  case GASAN_POOL_DOUBLE_FREE:
    reported = gasan_report_double_free(owner, &caller, address, &chunk);
    break;
  case GASAN_POOL_NOT_A_CHUNK:
  case GASAN_POOL_NOT_IN_WINDOW:
    reported = gasan_report_bad_free(owner, &caller, address, &chunk);
    break;
  }
  return reported ? gasan_set_error(cudaErrorInvalidValue) : cudaSuccess;
}
