/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Synchronises a grid: each block of a cooperative launch has an OS thread, which polls here for the other blocks. */
#include <sched.h>

#include "device/cpu/worker.h"

static void open_if_complete(struct gasan_cpu_grid *meeting) {
  if (meeting->arrived < meeting->live)
    return;
  meeting->arrived = 0;
  atomic_fetch_add(&meeting->generation, 1);
}

void gasan_cpu_grid_meet(struct gasan_cpu_launch *launch) {
  struct gasan_cpu_grid *meeting = launch->meeting;
  pthread_mutex_lock(&meeting->lock);
  uint32_t generation = atomic_load(&meeting->generation);
  meeting->arrived++;
  open_if_complete(meeting);
  pthread_mutex_unlock(&meeting->lock);
  while (atomic_load(&meeting->generation) == generation) {
    if (atomic_load_explicit(&launch->error, memory_order_relaxed))
      gasan_cpu_trap(GASAN_CPU_ERROR_LAUNCH_FAILURE);
    sched_yield();
  }
}

void gasan_cpu_grid_leave(struct gasan_cpu_launch *launch) {
  struct gasan_cpu_grid *meeting = launch->meeting;
  pthread_mutex_lock(&meeting->lock);
  meeting->live--;
  if (meeting->arrived)
    open_if_complete(meeting);
  pthread_mutex_unlock(&meeting->lock);
}
