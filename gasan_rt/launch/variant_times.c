/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_times.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"

enum state { STATE_FREE, STATE_RUNNING, STATE_RECORDED, STATE_READ };

struct measurement {
  enum state state;
  enum gasan_trial_choice choice;
  cudaEvent_t before, after;
  bool good; /* all calls of CUDA have worked */
};

struct gasan_variant_times {
  pthread_mutex_t lock;
  struct gasan_trial trial;
  struct measurement measurements[GASAN_TRIAL_MOST];
  /* read without the lock */
  atomic_bool over;
  _Atomic enum gasan_trial_choice best;
};

static struct gasan_variant_times *times_in(struct gasan_variant_times *_Atomic *slot) {
  struct gasan_variant_times *times = atomic_load_explicit(slot, memory_order_acquire);
  if (times)
    return times;
  struct gasan_variant_times *made = calloc(1, sizeof *made);
  GASAN_CHECK(made);
  pthread_mutex_init(&made->lock, NULL);
  if (atomic_compare_exchange_strong(slot, &times, made))
    return made;
  free(made);
  return times;
}

static void end_measurement(struct gasan_variant_times *times, struct measurement *of, uint64_t nanoseconds) {
  gasan_trial_end(&times->trial, of->choice, nanoseconds);
  if (of->before)
    GASAN_REAL(cudaEventDestroy)(of->before);
  if (of->after)
    GASAN_REAL(cudaEventDestroy)(of->after);
  of->state = STATE_READ;
  if (gasan_trial_is_over(&times->trial)) {
    atomic_store(&times->best, times->trial.best);
    atomic_store(&times->over, true);
  }
}

/* Reads the events of the launches that have ended. Must be called with the lock. */
static void read_events(struct gasan_variant_times *times) {
  for (struct measurement *of = times->measurements; of < times->measurements + GASAN_TRIAL_MOST; of++) {
    float milliseconds = 0;
    if (of->state != STATE_RECORDED)
      continue;
    cudaError_t error = of->good ? GASAN_REAL(cudaEventQuery)(of->after) : cudaErrorUnknown;
    if (error == cudaErrorNotReady)
      continue;
    if (error == cudaSuccess)
      error = GASAN_REAL(cudaEventElapsedTime)(&milliseconds, of->before, of->after);
    end_measurement(times, of, error == cudaSuccess && milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6) : 0);
  }
}

enum gasan_trial_choice gasan_variant_times_choose(struct gasan_variant_times *_Atomic *slot, uint64_t shape, bool full,
                                                   bool fitted, struct gasan_timed_launch *launch) {
  struct gasan_variant_times *times = times_in(slot);
  launch->times = NULL;
  if (atomic_load(&times->over))
    return atomic_load(&times->best);
  if (gasan_capture_active()) /* queries of events may invalidate a capture */
    return GASAN_TRIAL_VARIANT;
  pthread_mutex_lock(&times->lock);
  const cudaError_t waiting = gasan_waiting_error();
  read_events(times);
  const unsigned number = times->trial.begun;
  const struct gasan_trial_step step = gasan_trial_next(&times->trial, shape, full, fitted);
  if (step.timed) {
    struct measurement *of = &times->measurements[number];
    *of = (struct measurement){.state = STATE_RUNNING, .choice = step.choice};
    of->good = GASAN_REAL(cudaEventCreate)(&of->before) == cudaSuccess &&
               GASAN_REAL(cudaEventCreate)(&of->after) == cudaSuccess;
    *launch = (struct gasan_timed_launch){times, number};
  }
  gasan_forget_error(waiting);
  pthread_mutex_unlock(&times->lock);
  return step.choice;
}

enum gasan_trial_choice gasan_variant_times_best(struct gasan_variant_times *_Atomic *slot) {
  struct gasan_variant_times *times = atomic_load_explicit(slot, memory_order_acquire);
  return times ? atomic_load(&times->best) : GASAN_TRIAL_VARIANT;
}

void gasan_timed_launch_begin(const struct gasan_timed_launch *launch, void *stream) {
  if (!launch->times)
    return;
  const cudaError_t waiting = gasan_waiting_error();
  struct measurement *of = &launch->times->measurements[launch->number];
  of->good = of->good && GASAN_REAL(cudaEventRecord)(of->before, stream) == cudaSuccess;
  gasan_forget_error(waiting);
}

void gasan_timed_launch_end(const struct gasan_timed_launch *launch, void *stream, bool launched) {
  if (!launch->times)
    return;
  const cudaError_t waiting = gasan_waiting_error();
  struct measurement *of = &launch->times->measurements[launch->number];
  const bool good = launched && of->good && GASAN_REAL(cudaEventRecord)(of->after, stream) == cudaSuccess;
  gasan_forget_error(waiting);
  pthread_mutex_lock(&launch->times->lock);
  of->good = good;
  of->state = STATE_RECORDED;
  pthread_mutex_unlock(&launch->times->lock);
}
