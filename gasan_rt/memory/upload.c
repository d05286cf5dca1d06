/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/upload.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/memory/device_memory.h"

static _Atomic bool launches_unseen;

static struct gasan_status finish_writes(struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  return kind->finish_writes ? kind->finish_writes(state->device) : gasan_status_make(GASAN_OK);
}

static struct gasan_status order_uploads(struct gasan_rt_device *state, void *stream) {
  const struct gasan_device_kind *kind = state->device->kind;
  return kind->order ? kind->order(state->device, stream) : gasan_status_make(GASAN_OK);
}

/* Uploads the pool's tables. `ordered`: the launch that needs the upload goes into `stream`. */
static struct gasan_status flush_pool(struct gasan_rt_device *state, bool ordered, void *stream) {
  if (!state->pool)
    return gasan_status_make(GASAN_OK);
  struct gasan_status status = gasan_pool_flush(state->pool);
  if (gasan_ok(status) && !(ordered && gasan_ok(order_uploads(state, stream))))
    status = finish_writes(state);
  if (gasan_ok(status))
    status = gasan_lookup_upload(state);
  /* After a device error every call fails, and the program's own calls return the error. */
  if (!gasan_ok(status) && status.code != GASAN_ERR_DEVICE)
    gasan_rt_warn("upload of shadow and tables failed (%s, driver error %d): the call that needs the upload fails",
                  gasan_status_text(status), status.driver_error);
  return status;
}

struct gasan_status gasan_upload(struct gasan_rt_device *state) {
  return flush_pool(state, false, NULL);
}

static struct gasan_status flush_for(struct gasan_rt_device *state, void *stream) {
  return flush_pool(state, true, stream);
}

static int error_of(struct gasan_status status) {
  return gasan_ok(status) || status.code == GASAN_ERR_DEVICE ? cudaSuccess : gasan_cuda_error(status);
}

/* Counts a launch. Must precede the flush: a thread that does not see this count yet has changed the shadow before the
 * flush. */
static void begin_launch(struct gasan_rt_device *state) {
  atomic_fetch_add(&state->memory->launches_begun, 1);
  if (atomic_load(&state->memory->upload_wanted))
    atomic_store(&state->memory->upload_wanted, false);
}

void gasan_upload_soon(struct gasan_rt_device *state) {
  atomic_store(&state->memory->upload_wanted, true);
}

bool gasan_upload_is_wanted(struct gasan_rt_device *state) {
  return atomic_load(&state->memory->upload_wanted);
}

int gasan_upload_before_launch(struct gasan_rt_device *state) {
  begin_launch(state);
  return error_of(gasan_upload(state));
}

int gasan_upload_before_launch_in(struct gasan_rt_device *state, void *stream) {
  begin_launch(state);
  return error_of(gasan_capture_active() ? gasan_upload(state) : flush_for(state, stream));
}

void gasan_upload_after_launch(struct gasan_rt_device *state) {
  atomic_fetch_add(&state->memory->launches_made, 1);
}

uint64_t gasan_upload_wait_begins(struct gasan_rt_device *state) {
  uint64_t made = atomic_load(&state->memory->launches_made);
  return made == atomic_load(&state->memory->launches_begun) ? made : 0;
}

void gasan_upload_wait_ended(struct gasan_rt_device *state, uint64_t begun) {
  uint64_t complete = atomic_load(&state->memory->launches_complete);
  while (begun > complete && !atomic_compare_exchange_weak(&state->memory->launches_complete, &complete, begun))
    continue;
}

struct gasan_status gasan_upload_new_chunk(struct gasan_rt_device *state) {
  bool idle = atomic_load(&state->memory->launches_begun) == atomic_load(&state->memory->launches_complete);
  return idle && !atomic_load(&launches_unseen) ? gasan_status_make(GASAN_OK) : gasan_upload(state);
}

bool gasan_upload_may_miss_launches(void) {
  return atomic_load(&launches_unseen);
}

void gasan_upload_launches_unseen(void) {
  atomic_store(&launches_unseen, true);
}
