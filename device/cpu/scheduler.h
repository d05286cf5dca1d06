/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Switches between the CUDA threads of a block. The functions must be called on the stack of a CUDA thread unless their
 * comment says otherwise. */
#ifndef GASAN_DEVICE_CPU_SCHEDULER_H
#define GASAN_DEVICE_CPU_SCHEDULER_H

#include "device/cpu/order.h"
#include "device/cpu/worker.h"

/* Makes a thread the running one: device code sees its indices from now on. */
static inline void gasan_cpu_become(struct gasan_cpu_worker *worker, uint32_t thread) {
  memcpy(gasan_cpu_thread.tid, &worker->identities[thread], sizeof worker->identities[thread]);
}

static inline bool gasan_cpu_queue_empty(const struct gasan_cpu_worker *worker) {
  return worker->head == worker->tail;
}

static inline void gasan_cpu_queue_push(struct gasan_cpu_worker *worker, uint32_t thread) {
  worker->queue[worker->tail++ % GASAN_CPU_BLOCK_THREADS] = (uint16_t)thread;
}

static inline uint32_t gasan_cpu_queue_pop(struct gasan_cpu_worker *worker) {
  if (__builtin_expect(worker->random, 0)) {
    uint16_t *first = &worker->queue[worker->head % GASAN_CPU_BLOCK_THREADS];
    uint32_t chosen = worker->head + gasan_cpu_order_choose(worker, worker->tail - worker->head);
    uint16_t *other = &worker->queue[chosen % GASAN_CPU_BLOCK_THREADS], thread = *other;
    *other = *first;
    *first = thread;
  }
  return worker->queue[worker->head++ % GASAN_CPU_BLOCK_THREADS];
}

/* Returns true if a thread that has not begun runs next, and not one of the queue. */
static inline bool gasan_cpu_begins_new(struct gasan_cpu_worker *worker) {
  if (worker->next == worker->count)
    return false;
  return __builtin_expect(!worker->random, 1) || gasan_cpu_queue_empty(worker) || gasan_cpu_order_choose(worker, 2);
}

/* Removes the next thread from those that have not begun. There must be one. */
static inline uint32_t gasan_cpu_next_new(struct gasan_cpu_worker *worker) {
  uint32_t place = worker->next++;
  return __builtin_expect(worker->random, 0) ? worker->order[place] : place;
}

/* Makes a waiting thread ready. */
static inline void gasan_cpu_ready(struct gasan_cpu_worker *worker, uint32_t thread) {
  gasan_cpu_queue_push(worker, thread);
  if (worker->counts_running)
    worker->warps[thread / 32].running++;
}

/* Must be called when the running thread is about to wait or has ended. */
static inline void gasan_cpu_stall(struct gasan_cpu_worker *worker, uint32_t thread) {
  if (__builtin_expect(worker->counts_running, 0)) {
    struct gasan_cpu_warp *warp = &worker->warps[thread / 32];
    if (--warp->running == 0 && warp->asking)
      gasan_cpu_warp_answer(worker, thread / 32);
  }
}

/* Returns a fiber that begins with this thread, on a free stack. */
static inline void *gasan_cpu_thread_begin(struct gasan_cpu_worker *worker, uint32_t thread) {
  uint32_t stack = worker->free_stacks[--worker->free_stack_count];
  worker->stack_of[thread] = (uint16_t)stack;
  return gasan_cpu_fiber_prepare(&worker->stacks, stack);
}

/* Removes a thread from the queue and makes it the running thread. Returns its fiber. If no thread is ready,
 * returns the scheduler's fiber, which decides how a stuck block continues (block.c). */
static inline void *gasan_cpu_next_ready(struct gasan_cpu_worker *worker) {
  if (__builtin_expect(gasan_cpu_queue_empty(worker), 0)) {
    worker->stuck = true;
    return worker->scheduler;
  }
  uint32_t thread = gasan_cpu_queue_pop(worker);
  gasan_cpu_become(worker, thread);
  return worker->parked[thread];
}

/* Parks the running thread and runs another one. Returns when this thread has been made ready and it is its turn. */
static inline __attribute__((always_inline)) void gasan_cpu_wait(struct gasan_cpu_worker *worker, uint32_t self) {
  gasan_cpu_thread.spin = 0;
  void *to;
  if (gasan_cpu_begins_new(worker)) {
    uint32_t thread = gasan_cpu_next_new(worker);
    to = gasan_cpu_thread_begin(worker, thread);
    gasan_cpu_become(worker, thread);
  } else {
    to = gasan_cpu_next_ready(worker);
    if (!worker->stuck && gasan_cpu_thread.linear == self)
      return;
  }
  gasan_cpu_fiber_switch(&worker->parked[self], to);
}

#endif
