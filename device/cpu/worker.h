/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker: the state of one OS thread that runs blocks, and the scheduler of the block that it runs now.
 *
 * CUDA threads are named by their linear index in the block. A thread is not started yet (index >= next), running
 * (one), ready (in the queue), waiting (in a barrier's or warp's list) or ended. */
#ifndef GASAN_DEVICE_CPU_WORKER_H
#define GASAN_DEVICE_CPU_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/cpu/engine.h"
#include "device/cpu/fiber.h"
#include "device/cpu/thread.h"

#define GASAN_CPU_WARPS (GASAN_CPU_BLOCK_THREADS / 32)
#define GASAN_CPU_NAMED_BARRIERS 16u
#define GASAN_CPU_GRID_BARRIER GASAN_CPU_NAMED_BARRIERS /* index of the barrier before a block meets the others */
#define GASAN_CPU_BARRIERS (GASAN_CPU_NAMED_BARRIERS + 1)
#define GASAN_CPU_POLLING_LOOP 16u /* barriers, or operations of one warp, that a loop which polls memory may have */

struct gasan_cpu_barrier {
  uint32_t arrived, waiting;
  uint32_t count;      /* threads that it takes; 0: all that live */
  uint32_t population; /* of the predicates so far */
  bool all, any, reduces;
  uint16_t list[GASAN_CPU_BLOCK_THREADS];
};

struct gasan_cpu_warp {
  uint32_t live;    /* lanes that have not ended */
  uint32_t waiting; /* lanes in a warp operation */
  uint32_t asking;  /* lanes in activemask */
  uint32_t running; /* lanes that neither wait nor ended; kept only if the kernel uses activemask */
  uint32_t operation[32], mask[32], b[32], c[32];
  uint64_t value[32];
  uint32_t result[32], predicate[32];
  uint32_t polled; /* how many of the next operations count as parts of a loop in which a lane has polled memory */
  void *site[32];  /* where each asking lane asks from */
};

struct gasan_cpu_identity {
  uint32_t tid[3], linear; /* as gasan_cpu_thread begins */
} __attribute__((aligned(16)));

struct gasan_cpu_worker {
  void *scheduler; /* run_block, parked */
  struct gasan_cpu_launch *launch;
  uint32_t count, next, live; /* threads of the block; the next to start; those that have not ended */
  uint32_t head, tail;        /* of the queue; free-running */
  uint32_t free_stack_count;
  bool counts_running; /* keep gasan_cpu_warp.running */
  bool in_device;      /* a fiber runs (or its fault is being handled) */
  bool stuck;          /* no thread of the block can go on */
  uint64_t block, end; /* number of the block that it runs; those up to `end` are its own to run, too */
  uint32_t polls;      /* switches by polling threads since any thread of the block last did something else */
  uint32_t waits;      /* the same, but warp operations and barriers are nothing else: polling loops may have some */
  uint32_t polled;     /* how many of the next barriers count as parts of a loop in which a thread has polled memory */
  uint32_t meetings;   /* of warps whose lanes have polled */
  uint64_t waiting_since; /* milliseconds; when `waits` was looked at first */
  bool has_asked;         /* the block has asked for a thread that runs blocks which have not begun */
  uint64_t polling_since; /* milliseconds; when that was noticed first */
  uint16_t queue[GASAN_CPU_BLOCK_THREADS];
  void *parked[GASAN_CPU_BLOCK_THREADS];
  uint16_t stack_of[GASAN_CPU_BLOCK_THREADS];
  uint16_t free_stacks[GASAN_CPU_BLOCK_THREADS];
  uint64_t frames[GASAN_CPU_BLOCK_THREADS];  /* device code's own */
  uint32_t reduced[GASAN_CPU_BLOCK_THREADS]; /* result of each thread's last barrier with a reduction */
  struct gasan_cpu_identity identities[GASAN_CPU_BLOCK_THREADS];
  uint32_t identity_block[3]; /* block shape that identities is for */
  struct gasan_cpu_barrier barriers[GASAN_CPU_BARRIERS];
  struct gasan_cpu_warp warps[GASAN_CPU_WARPS];
  struct gasan_cpu_stacks stacks;
  char *shared;          /* GASAN_CPU_SHARED_RESERVED bytes, then the block's */
  void *alternate_stack; /* for signal handlers; NULL: the thread had one */
  uint32_t contrary;     /* the other thread of a GASAN_CPU_WARP_MASK finding with two places */
  bool found;            /* `finding` is to be reported when the scheduler goes on */
  struct gasan_cpu_finding finding;
};

extern __thread struct gasan_cpu_worker *gasan_cpu_worker __attribute__((tls_model("initial-exec")));

/* The calling OS thread's worker, made on first use and freed when the thread ends; NULL: no memory. */
struct gasan_cpu_worker *gasan_cpu_worker_get(void);
/* Frees the calling thread's worker now. */
void gasan_cpu_worker_drop(void);

/* engine.c: the block that the worker runs may wait for one that has not begun. Starts an OS thread that runs those, if
 * there are any. */
void gasan_cpu_worker_ask(struct gasan_cpu_worker *worker);

/* block.c: readies worker and context for blocks of the launch (false: no memory), and runs block `index`. */
bool gasan_cpu_worker_begin(struct gasan_cpu_worker *worker, struct gasan_cpu_launch *launch);
void gasan_cpu_block_run(struct gasan_cpu_worker *worker, uint64_t index);

/* Bookkeeping when the running thread has ended: returns after making another thread, which has not begun, the running
 * one on the same stack; otherwise goes on elsewhere and does not return. */
void gasan_cpu_thread_ended(struct gasan_cpu_worker *worker);

/* No thread can go on. Makes some ready by counting ended threads as arrived at barriers with a count; if that frees
 * none, gives the block up: the scheduler finds it stuck. */
__attribute__((cold, noinline)) void gasan_cpu_worker_unblock(struct gasan_cpu_worker *worker);

/* barrier.c, warp.c: what a thread's end means for the others. */
void gasan_cpu_barriers_leave(struct gasan_cpu_worker *worker);
bool gasan_cpu_barriers_count_ended(struct gasan_cpu_worker *worker);
void gasan_cpu_warp_leave(struct gasan_cpu_worker *worker, uint32_t thread);
/* What a thread waits for in a barrier (in a warp operation) as the end of a sentence; false: it does not wait there.
 */
bool gasan_cpu_barrier_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size);
bool gasan_cpu_warp_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size);
/* warp.c: all lanes of the warp have stalled; those in activemask get their answer. */
__attribute__((noinline)) void gasan_cpu_warp_answer(struct gasan_cpu_worker *worker, uint32_t warp);

/* grid.c: blocks of a cooperative launch meet; a block that ends leaves. */
void gasan_cpu_grid_meet(struct gasan_cpu_launch *launch);
void gasan_cpu_grid_leave(struct gasan_cpu_launch *launch);

/* fault.c: the launch fails with this error; false: it has failed already. */
bool gasan_cpu_launch_fail(struct gasan_cpu_launch *launch, int error);
/* Device faults on any thread become errors of the launch from now on. Call once. */
void gasan_cpu_fault_install(void);

/* finding.c, on the scheduler's stack. The block is stuck: ends the launch with error 719. */
void gasan_cpu_report_stuck(struct gasan_cpu_worker *worker);
/* From a thread that polls memory and lets others run: now and then looks whether all have done nothing else for so
 * long that the user should know. */
void gasan_cpu_note_polling(struct gasan_cpu_worker *worker);
/* The same for loops that poll once each time round and then wait for the block's other threads: such a block may only
 * be waiting for another one. Ends the thread's block if the launch has failed. */
void gasan_cpu_note_waiting(struct gasan_cpu_worker *worker);
/* From a signal handler: notes that the running thread's stack was too small. */
void gasan_cpu_note_stack_overflow(struct gasan_cpu_worker *worker, uintptr_t address, uintptr_t pc);
/* From a signal handler: notes that the running thread was stopped by this signal. */
void gasan_cpu_note_fault(struct gasan_cpu_worker *worker, int signal, enum gasan_cpu_access access, uintptr_t address,
                          uintptr_t pc);
/* From the running thread, which has called a warp operation that cannot end well (GASAN_CPU_WARP_MASK): ends the
 * launch with error 719. `other`: a thread of its warp that waits with another mask; the thread itself: its mask lacks
 * it. */
__attribute__((noreturn, noinline)) void gasan_cpu_fail_mask(struct gasan_cpu_worker *worker, uint32_t other);
/* Reports what was noted. */
void gasan_cpu_report_found(struct gasan_cpu_worker *worker);

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
  return worker->queue[worker->head++ % GASAN_CPU_BLOCK_THREADS];
}

/* A waiting thread may go on. */
static inline void gasan_cpu_ready(struct gasan_cpu_worker *worker, uint32_t thread) {
  gasan_cpu_queue_push(worker, thread);
  if (worker->counts_running)
    worker->warps[thread / 32].running++;
}

/* The running thread is about to wait or has ended. */
static inline void gasan_cpu_stall(struct gasan_cpu_worker *worker, uint32_t thread) {
  if (__builtin_expect(worker->counts_running, 0)) {
    struct gasan_cpu_warp *warp = &worker->warps[thread / 32];
    if (--warp->running == 0 && warp->asking)
      gasan_cpu_warp_answer(worker, thread / 32);
  }
}

/* A fiber that begins with thread `thread`, on a stack of its own. */
static inline void *gasan_cpu_thread_begin(struct gasan_cpu_worker *worker, uint32_t thread) {
  uint32_t stack = worker->free_stacks[--worker->free_stack_count];
  worker->stack_of[thread] = (uint16_t)stack;
  return gasan_cpu_fiber_prepare(&worker->stacks, stack);
}

/* Parks the running thread and runs another; returns when this one has been made ready and its turn has come. */
static inline __attribute__((always_inline)) void gasan_cpu_wait(struct gasan_cpu_worker *worker, uint32_t self) {
  gasan_cpu_thread.spin = 0;
  void *to;
  if (worker->next < worker->count) {
    uint32_t thread = worker->next++;
    to = gasan_cpu_thread_begin(worker, thread);
    gasan_cpu_become(worker, thread);
  } else {
    if (__builtin_expect(gasan_cpu_queue_empty(worker), 0))
      gasan_cpu_worker_unblock(worker);
    uint32_t thread = gasan_cpu_queue_pop(worker);
    gasan_cpu_become(worker, thread);
    if (thread == self)
      return;
    to = worker->parked[thread];
  }
  gasan_cpu_fiber_switch(&worker->parked[self], to);
}

#endif
