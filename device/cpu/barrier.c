/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Barriers of a block: bar.sync, bar.red, bar.arrive. A barrier opens when `count` threads, or all live threads, have
 * arrived. An ended thread counts as arrived. */
#include "base/export.h"
#include <stdio.h>

#include "base/check.h"
#include "device/cpu/scheduler.h"
#include "device/cpu/trace.h"

/* Packs the three reductions of bar.red into one word. */
static uint32_t pack_reduction(const struct gasan_cpu_barrier *barrier) {
  return barrier->population | (uint32_t)barrier->all << 30 | (uint32_t)barrier->any << 31;
}

static uint32_t unpack_reduction(uint32_t packed, uint32_t reduction) {
  switch (reduction) {
  case GASAN_BARRIER_AND:
    return packed >> 30 & 1;
  case GASAN_BARRIER_OR:
    return packed >> 31;
  default:
    return packed & 0xffff;
  }
}

/* Makes the waiting threads ready and prepares the barrier for its next use. */
static void open_barrier(struct gasan_cpu_worker *worker, uint32_t id) {
  struct gasan_cpu_barrier *barrier = &worker->barriers[id];
  worker->polls = 0;
  if (id == GASAN_CPU_GRID_BARRIER)
    gasan_cpu_grid_meet(worker->launch);
  if (barrier->reduces) {
    uint32_t packed = pack_reduction(barrier);
    for (uint32_t i = 0; i < barrier->waiting; i++)
      worker->reduced[barrier->list[i]] = packed;
    barrier->population = 0;
    barrier->all = true;
    barrier->any = barrier->reduces = false;
  }
  if (gasan_cpu_queue_empty(worker) && !worker->counts_running) {
    memcpy(worker->queue, barrier->list, barrier->waiting * sizeof barrier->list[0]);
    worker->head = 0;
    worker->tail = barrier->waiting;
  } else {
    for (uint32_t i = 0; i < barrier->waiting; i++)
      gasan_cpu_ready(worker, barrier->list[i]);
  }
  barrier->arrived = barrier->waiting = barrier->count = 0;
}

static bool barrier_complete(const struct gasan_cpu_worker *worker, const struct gasan_cpu_barrier *barrier) {
  return barrier->arrived >= (barrier->count ? barrier->count : worker->live);
}

static inline __attribute__((always_inline)) void arrive_and_wait(struct gasan_cpu_worker *worker, uint32_t id,
                                                                  uint32_t count) {
  struct gasan_cpu_barrier *barrier = &worker->barriers[id];
  uint32_t self = gasan_cpu_thread.linear;
  barrier->arrived++;
  if (gasan_cpu_thread.spin)
    worker->polled = GASAN_CPU_POLLING_LOOP;
  if (__builtin_expect(count != 0, 0))
    barrier->count = count;
  if (barrier_complete(worker, barrier)) { /* the last thread does not wait */
    if (worker->polled) {
      worker->polled--;
      gasan_cpu_note_waiting(worker);
    } else {
      worker->waits = 0;
    }
    if (barrier->reduces)
      worker->reduced[self] = pack_reduction(barrier);
    open_barrier(worker, id);
    gasan_cpu_thread.spin = 0;
    return;
  }
  barrier->list[barrier->waiting++] = (uint16_t)self;
  gasan_cpu_stall(worker, self);
  gasan_cpu_wait(worker, self);
}

GASAN_EXPORT GASAN_CPU_HIDE_FRAME void gasan_cpu_barrier(uint32_t id, uint32_t count) {
  GASAN_CHECK(gasan_cpu_thread.fiber);
  arrive_and_wait(gasan_cpu_worker, id % GASAN_CPU_NAMED_BARRIERS, count);
}

GASAN_EXPORT GASAN_CPU_HIDE_FRAME uint32_t gasan_cpu_barrier_reduce(uint32_t id, uint32_t count, uint32_t reduction,
                                                                    uint32_t predicate) {
  GASAN_CHECK(gasan_cpu_thread.fiber);
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  uint32_t self = gasan_cpu_thread.linear;
  struct gasan_cpu_barrier *barrier = &worker->barriers[id % GASAN_CPU_NAMED_BARRIERS];
  barrier->reduces = true;
  barrier->population += predicate != 0;
  barrier->all = barrier->all && predicate;
  barrier->any = barrier->any || predicate;
  arrive_and_wait(worker, id % GASAN_CPU_NAMED_BARRIERS, count);
  return unpack_reduction(worker->reduced[self], reduction);
}

GASAN_EXPORT void gasan_cpu_barrier_arrive(uint32_t id, uint32_t count) {
  GASAN_CHECK(gasan_cpu_thread.fiber);
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  struct gasan_cpu_barrier *barrier = &worker->barriers[id % GASAN_CPU_NAMED_BARRIERS];
  barrier->arrived++;
  barrier->count = count;
  if (barrier_complete(worker, barrier))
    open_barrier(worker, id % GASAN_CPU_NAMED_BARRIERS);
}

GASAN_EXPORT GASAN_CPU_HIDE_FRAME void gasan_cpu_grid_sync(void) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  if (!worker->launch->meeting)
    gasan_cpu_unsupported("grid synchronisation in a launch that is not cooperative");
  GASAN_CHECK(gasan_cpu_thread.fiber);
  arrive_and_wait(worker, GASAN_CPU_GRID_BARRIER, 0);
}

void gasan_cpu_barriers_leave(struct gasan_cpu_worker *worker) {
  for (uint32_t id = 0; id < GASAN_CPU_BARRIERS; id++)
    if (worker->barriers[id].waiting && barrier_complete(worker, &worker->barriers[id]))
      open_barrier(worker, id);
}

bool gasan_cpu_barriers_count_ended(struct gasan_cpu_worker *worker) {
  uint32_t ended = worker->count - worker->live;
  for (uint32_t id = 0; id < GASAN_CPU_BARRIERS; id++) {
    struct gasan_cpu_barrier *barrier = &worker->barriers[id];
    if (barrier->waiting && barrier->count && barrier->arrived + ended >= barrier->count)
      open_barrier(worker, id);
  }
  return !gasan_cpu_queue_empty(worker);
}

bool gasan_cpu_barrier_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size) {
  for (uint32_t id = 0; id < GASAN_CPU_BARRIERS; id++) {
    const struct gasan_cpu_barrier *barrier = &worker->barriers[id];
    for (uint32_t i = 0; i < barrier->waiting; i++) {
      if (barrier->list[i] != thread)
        continue;
      if (id == GASAN_CPU_GRID_BARRIER)
        snprintf(text, size, "for all threads of the block, to synchronise the grid");
      else if (barrier->count)
        snprintf(text, size, "at barrier %u for %u threads, %u of which have come", id, barrier->count,
                 barrier->arrived);
      else
        snprintf(text, size, "at barrier %u for all threads of the block", id);
      return true;
    }
  }
  return false;
}
