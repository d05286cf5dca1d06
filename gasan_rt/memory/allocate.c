/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/allocate.h"

#include <stdint.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static struct gasan_status allocate_chunk(struct gasan_rt_device *state, size_t size, struct gasan_pool_caller caller,
                                          uint64_t *address) {
  gasan_canary_begin();
  struct gasan_status status = gasan_pool_allocate(state->pool, size, caller, address);
  if (gasan_ok(status))
    gasan_canary_write(state, *address);
  gasan_canary_end();
  return status;
}

cudaError_t gasan_memory_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size) {
  /* Handle pending reports and frees first: the new chunk may get addresses of freed memory. */
  gasan_rt_hooks()->peek(state);
  gasan_pending_frees_poll();
  uint64_t address = 0;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_status status = allocate_chunk(state, size, caller, &address);
  /* Quarantined memory and pending frees also occupy the device's memory. */
  if (status.code == GASAN_ERR_OUT_OF_MEMORY) {
    gasan_pending_frees_settle_all();
    if (!gasan_capture_active())
      gasan_foreign_give_back();
    status = allocate_chunk(state, size, caller, &address);
  }
  if (gasan_ok(status)) {
    status = gasan_upload_new_chunk(state);
    if (!gasan_ok(status)) {
      gasan_canary_remove(state, address);
      gasan_pool_free(state->pool, address, caller, NULL);
    }
  }
  if (!gasan_ok(status)) {
    if (gasan_verbosity() >= 1)
      gasan_rt_warn("%s of %zu bytes failed: %s (driver error %d)", api, size, gasan_status_text(status),
                    status.driver_error);
    gasan_rt_hooks()->failed(gasan_cuda_error(status));
    return gasan_set_error(gasan_cuda_error(status));
  }
  *pointer = (void *)(uintptr_t)address;
  return cudaSuccess;
}
