#include "gasan_rt/upload.h"

#include <cuda_runtime_api.h>

#include "gasan_rt/capture.h"
#include "gasan_rt/fast.h"

#define EXPORT __attribute__((visibility("default")))

static _Atomic bool launches_unseen;

bool gasan_upload_launches_unseen(void) {
  return atomic_load(&launches_unseen);
}

static int error_of(struct gasan_status status) {
  return gasan_ok(status) || status.code == GASAN_ERR_DEVICE ? cudaSuccess : gasan_rt_cuda_error(status);
}

/* First: who does not see it yet has changed the shadow before the flush. */
static void begin(struct gasan_rt_device *state) {
  atomic_fetch_add(&state->launches_begun, 1);
  atomic_store(&state->upload_wanted, false);
}

void gasan_upload_soon(struct gasan_rt_device *state) {
  atomic_store(&state->upload_wanted, true);
}

bool gasan_upload_is_wanted(struct gasan_rt_device *state) {
  return atomic_load(&state->upload_wanted);
}

int gasan_upload_before_launch(struct gasan_rt_device *state) {
  begin(state);
  return error_of(gasan_rt_flush(state));
}

int gasan_upload_before_launch_in(struct gasan_rt_device *state, void *stream) {
  begin(state);
  return error_of(gasan_capture_active() ? gasan_rt_flush(state) : gasan_rt_flush_for(state, stream));
}

void gasan_upload_after_launch(struct gasan_rt_device *state) {
  atomic_fetch_add(&state->launches_made, 1);
}

uint64_t gasan_upload_wait_begins(struct gasan_rt_device *state) {
  uint64_t made = atomic_load(&state->launches_made);
  return made == atomic_load(&state->launches_begun) ? made : 0;
}

void gasan_upload_wait_ended(struct gasan_rt_device *state, uint64_t begun) {
  uint64_t complete = atomic_load(&state->launches_complete);
  while (begun > complete && !atomic_compare_exchange_weak(&state->launches_complete, &complete, begun))
    continue;
}

struct gasan_status gasan_upload_new_chunk(struct gasan_rt_device *state) {
  bool idle = atomic_load(&state->launches_begun) == atomic_load(&state->launches_complete);
  return idle && !atomic_load(&launches_unseen) ? gasan_status_make(GASAN_OK) : gasan_rt_flush(state);
}

static void flush(struct gasan_rt_device *state) {
  (void)gasan_rt_flush(state); /* a launch of theirs is not ours to refuse */
}

/* What these return is a handle of the driver's too. */
static void hand_out(const void *symbol) {
  atomic_store(&launches_unseen, true);
  gasan_rt_each_device(flush);
  gasan_fast_hand_out(symbol);
}

EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  hand_out(symbol);
  return GASAN_REAL(cudaGetFuncBySymbol)(function, symbol);
}

EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
  hand_out(symbol);
  return GASAN_REAL(cudaGetKernel)(kernel, symbol);
}
