/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker: the state of one OS thread that runs blocks, and of the block that it runs now.
 *
 * The linear index in the block identifies a CUDA thread. A CUDA thread is in one of five states: not started yet
 * (its place in the order >= next), running (one thread), ready (in the queue), waiting (in the list of a barrier or a
 * warp), or ended.
 *
 * Threads: a worker belongs to one OS thread. No locks. */
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
#define GASAN_CPU_GRID_BARRIER                                                                                         \
  GASAN_CPU_NAMED_BARRIERS /* index: the block's threads meet here before the blocks do                                \
                            */
#define GASAN_CPU_BARRIERS (GASAN_CPU_NAMED_BARRIERS + 1)
#define GASAN_CPU_POLLING_LOOP 16u /* most barriers, or operations of one warp, in a loop that polls memory */

struct gasan_cpu_barrier {
  uint32_t arrived, waiting;
  uint32_t count;      /* threads that open it; 0: all live threads of the block */
  uint32_t population; /* predicates that were true so far */
  bool all, any, reduces;
  uint16_t list[GASAN_CPU_BLOCK_THREADS];
};

struct gasan_cpu_warp {
  uint32_t live;    /* lanes that have not ended */
  uint32_t waiting; /* lanes in a warp operation */
  uint32_t asking;  /* lanes in activemask */
  uint32_t running; /* lanes that neither wait nor have ended; valid if the worker counts_running */
  uint32_t operation[32], mask[32], b[32], c[32];
  uint64_t value[32];
  uint32_t result[32], predicate[32];
  uint32_t polled; /* the next operations that count as parts of a polling loop */
  void *site[32];  /* return address of each asking lane */
};

/* The first members of struct gasan_cpu_thread. */
struct gasan_cpu_identity {
  uint32_t tid[3], linear;
} __attribute__((aligned(16)));

struct gasan_cpu_worker {
  void *scheduler; /* block.c's stack, parked */
  struct gasan_cpu_launch *launch;
  uint32_t count, next, live; /* threads of the block; those that have begun; those that have not ended */
  uint32_t head, tail;        /* of the queue; free-running */
  uint32_t free_stack_count;
  bool counts_running; /* the kernel uses activemask: keep gasan_cpu_warp.running up to date */
  bool in_device;      /* device code runs, or its fault is being handled */
  bool stuck;          /* no thread of the block can go on */
  bool random;         /* threads run in the order of order.h */
  uint64_t place, end; /* of the running block in the launch's order; the worker runs the blocks up to `end` too */
  uint64_t block;      /* number of the running block */

  /* Members about loops that poll memory (polling.c). */
  uint32_t polls;         /* switches by polling threads since a thread of the block last did something else */
  uint32_t waits;         /* the same, but warp operations and barriers do not reset it: polling loops may have some */
  uint32_t polled;        /* the next barriers that count as parts of a polling loop */
  uint32_t meetings;      /* of warps whose lanes have polled */
  uint64_t waiting_since; /* milliseconds; first look at `waits` */
  uint64_t polling_since; /* milliseconds; first look at `polls` */
  bool has_asked;         /* start_more was called for this block */

  uint64_t choices;                        /* if random: the state of order.c */
  uint16_t order[GASAN_CPU_BLOCK_THREADS]; /* if random: the order in which threads begin */
  uint16_t queue[GASAN_CPU_BLOCK_THREADS];
  void *parked[GASAN_CPU_BLOCK_THREADS];
  uint16_t stack_of[GASAN_CPU_BLOCK_THREADS];
  uint16_t free_stacks[GASAN_CPU_BLOCK_THREADS];
  uint64_t frames[GASAN_CPU_BLOCK_THREADS];  /* owned by device code */
  uint32_t reduced[GASAN_CPU_BLOCK_THREADS]; /* each thread's result of its last barrier with a reduction */
  struct gasan_cpu_identity identities[GASAN_CPU_BLOCK_THREADS];
  uint32_t identity_block[3]; /* the block shape for which identities is filled */
  struct gasan_cpu_barrier barriers[GASAN_CPU_BARRIERS];
  struct gasan_cpu_warp warps[GASAN_CPU_WARPS];
  struct gasan_cpu_stacks stacks;
  char *shared;          /* GASAN_CPU_SHARED_RESERVED bytes, then the block's shared memory */
  void *alternate_stack; /* for signal handlers; NULL: the OS thread had one */
  uint32_t contrary;     /* the other thread of a GASAN_CPU_WARP_MASK finding with two places */
  bool found;            /* the scheduler has to report `finding` */
  struct gasan_cpu_finding finding;
};

extern __thread struct gasan_cpu_worker *gasan_cpu_worker __attribute__((tls_model("initial-exec")));

/* Returns the calling OS thread's worker. The first call creates it; it is freed when the OS thread ends. NULL: no
 * memory. */
struct gasan_cpu_worker *gasan_cpu_worker_get(void);
/* Frees the calling OS thread's worker now. */
void gasan_cpu_worker_drop(void);

/* The engine's files, from the bottom up. A file calls only files above it in this list; all files call scheduler.h. */

/* finding.c */

/* Starts a finding in worker->finding: fills in kind, kernel and block. The finding has no places yet. */
struct gasan_cpu_finding *gasan_cpu_finding_begin(struct gasan_cpu_worker *worker, enum gasan_cpu_finding_kind kind);
/* Passes worker->finding to the reporter; without a reporter, prints a line. */
void gasan_cpu_finding_send(struct gasan_cpu_worker *worker);
/* Sends the finding that was noted while device code ran, after the kernel's own output. Called on the scheduler's
 * stack. */
void gasan_cpu_report_found(struct gasan_cpu_worker *worker);
/* Notes that the running thread's stack was too small. Called in a signal handler. */
void gasan_cpu_note_stack_overflow(struct gasan_cpu_worker *worker, uintptr_t address, uintptr_t pc);
/* Notes that a signal has stopped the running thread. Called in a signal handler. */
void gasan_cpu_note_fault(struct gasan_cpu_worker *worker, int signal, enum gasan_cpu_access access, uintptr_t address,
                          uintptr_t pc);
/* Ends the launch with error 719, because the running thread has called a warp operation that can never complete
 * correctly (GASAN_CPU_WARP_MASK). `other`: a thread of its warp that waits with another mask, or the running thread
 * itself if its own mask lacks it. */
__attribute__((noreturn, noinline)) void gasan_cpu_fail_mask(struct gasan_cpu_worker *worker, uint32_t other);

/* fault.c (gasan_cpu_trap and gasan_cpu_unsupported are in thread.h) */

/* Installs the signal handlers that turn faults of device code into errors of the launch, on any OS thread. Called
 * once. */
void gasan_cpu_fault_install(void);

/* polling.c */

/* Must be called when a thread that polls memory lets other threads run. Tests, from time to time, whether the block
 * has only polled for so long that the user should know. */
void gasan_cpu_note_polling(struct gasan_cpu_worker *worker);
/* Must be called when the block's threads meet in a loop that polls memory: the block may only be waiting for another
 * block. Ends the running thread's block if the launch has failed. */
void gasan_cpu_note_waiting(struct gasan_cpu_worker *worker);

/* warp.c */

/* Answers the lanes that wait in activemask. All lanes of the warp must be stalled. */
__attribute__((noinline)) void gasan_cpu_warp_answer(struct gasan_cpu_worker *worker, uint32_t warp);
/* Must be called when a thread has ended. Completes warp operations that waited only for this thread. */
void gasan_cpu_warp_leave(struct gasan_cpu_worker *worker, uint32_t thread);
/* Writes why a thread waits in a warp operation, as the end of a sentence. Returns false if the thread is in no
 * operation. */
bool gasan_cpu_warp_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size);

/* grid.c */

/* Waits for all live blocks of a cooperative launch. */
void gasan_cpu_grid_meet(struct gasan_cpu_launch *launch);
/* Must be called when a block has ended: the other blocks no longer wait for it. */
void gasan_cpu_grid_leave(struct gasan_cpu_launch *launch);

/* barrier.c */

/* Must be called when a thread has ended. Opens barriers that waited only for this thread. */
void gasan_cpu_barriers_leave(struct gasan_cpu_worker *worker);
/* Counts ended threads as arrived at barriers with a count. Returns true if a thread is then ready. */
bool gasan_cpu_barriers_count_ended(struct gasan_cpu_worker *worker);
/* Writes at which barrier a thread waits, as the end of a sentence. Returns false if the thread waits at none. */
bool gasan_cpu_barrier_describe(const struct gasan_cpu_worker *worker, uint32_t thread, char *text, size_t size);

/* deadlock.c */

/* Ends the launch of a stuck block with error 719, and reports where each thread waits. Called on the scheduler's
 * stack. */
void gasan_cpu_report_deadlock(struct gasan_cpu_worker *worker);

/* block.c */

/* Prepares worker and context for blocks of the launch. Returns false without memory. */
bool gasan_cpu_worker_begin(struct gasan_cpu_worker *worker, struct gasan_cpu_launch *launch);
/* Runs one block to its end: the `place`th in the launch's order. */
void gasan_cpu_block_run(struct gasan_cpu_worker *worker, uint64_t place);

#endif
