/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles blocks that poll memory. Such a block may wait for a block that has not begun, so another OS thread is
 * started for those blocks. A block that does nothing but poll for long is reported. */
#include <time.h>

#include "device/cpu/trace.h"
#include "device/cpu/worker.h"

enum {
  POLLS_BEFORE_CLOCK = 1 << 14,
  POLLING_MILLISECONDS = 10000,
  WAITS_BEFORE_CLOCK = 1 << 6, /* few, because each may take long on a busy machine */
  WAITS_BEFORE_NAP = 1 << 10,
  WAITING_MILLISECONDS = 20,
  NAP_NANOSECONDS = 100000
};

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Requests, once, an OS thread for blocks that have not begun. While there are more threads than cores, sleeps from
 * time to time. */
static void wait_for_others(struct gasan_cpu_worker *worker) {
  uint64_t now = milliseconds();
  if (worker->waits == WAITS_BEFORE_CLOCK)
    worker->waiting_since = now;
  if (!worker->has_asked && now - worker->waiting_since >= WAITING_MILLISECONDS) {
    worker->has_asked = true;
    worker->launch->start_more(worker);
  }
  if (worker->waits % WAITS_BEFORE_NAP == 0 &&
      atomic_load_explicit(&worker->launch->has_more_threads, memory_order_relaxed))
    nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
}

void gasan_cpu_note_waiting(struct gasan_cpu_worker *worker) {
  if (++worker->waits % WAITS_BEFORE_CLOCK)
    return;
  if (atomic_load_explicit(&worker->launch->error, memory_order_relaxed))
    gasan_cpu_trap(GASAN_CPU_ERROR_LAUNCH_FAILURE);
  wait_for_others(worker);
}

GASAN_CPU_HIDE_FRAME void gasan_cpu_note_polling(struct gasan_cpu_worker *worker) {
  gasan_cpu_note_waiting(worker);
  if (++worker->polls % POLLS_BEFORE_CLOCK)
    return;
  uint64_t now = milliseconds();
  if (worker->polls == POLLS_BEFORE_CLOCK)
    worker->polling_since = now;
  uint64_t passed = now - worker->polling_since;
  if (passed < POLLING_MILLISECONDS || atomic_exchange(&worker->launch->polling_reported, true))
    return;
  struct gasan_cpu_finding *finding = gasan_cpu_finding_begin(worker, GASAN_CPU_POLLING);
  struct gasan_cpu_place *place = &finding->places[0];
  finding->seconds = (uint32_t)(passed / 1000);
  finding->place_count = 1;
  memcpy(place->first, gasan_cpu_thread.tid, sizeof place->first);
  place->depth = gasan_cpu_trace_here(place->pcs, GASAN_CPU_FINDING_FRAMES);
  gasan_cpu_finding_send(worker);
}
