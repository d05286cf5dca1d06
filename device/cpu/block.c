/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs one block: as fibers if its threads may wait for each other, otherwise by the kernel's own loop. */
#include "base/export.h"
#include <sched.h>

#include "base/check.h"
#include "device/cpu/order.h"
#include "device/cpu/scheduler.h"
#include "device/cpu/trace.h"

/* The bytes of shared memory when a block begins. CUDA leaves them undefined; here they are always the same, and form
 * no plausible number. */
#define SHARED_FILL 0xcb

static void set_identities(struct gasan_cpu_worker *worker, const uint32_t block[3]) {
  if (memcmp(worker->identity_block, block, sizeof worker->identity_block) == 0)
    return;
  memcpy(worker->identity_block, block, sizeof worker->identity_block);
  uint32_t linear = 0;
  for (uint32_t z = 0; z < block[2]; z++)
    for (uint32_t y = 0; y < block[1]; y++)
      for (uint32_t x = 0; x < block[0]; x++, linear++)
        worker->identities[linear] = (struct gasan_cpu_identity){{x, y, z}, linear};
}

bool gasan_cpu_worker_begin(struct gasan_cpu_worker *worker, struct gasan_cpu_launch *launch) {
  const struct gasan_cpu_kernel *kernel = launch->kernel;
  struct gasan_cpu_thread *thread = &gasan_cpu_thread;
  worker->launch = launch;
  worker->count = launch->block[0] * launch->block[1] * launch->block[2];
  worker->counts_running = kernel->flags & GASAN_CPU_KERNEL_ACTIVEMASK;
  worker->random = gasan_cpu_order_is_random();
  thread->fiber = kernel->block == NULL || worker->random; /* the kernel's loop has its own order */
  if (!gasan_cpu_stacks_reserve(&worker->stacks, thread->fiber ? worker->count : 1, launch->stack_size))
    return false;
  set_identities(worker, launch->block);
  memcpy(thread->ntid, launch->block, sizeof thread->ntid);
  memcpy(thread->nctaid, launch->grid, sizeof thread->nctaid);
  thread->nthreads = worker->count;
  thread->dynamic_shared = launch->dynamic_shared;
  thread->shared = worker->shared + GASAN_CPU_SHARED_RESERVED;
  thread->dynamic_offset = kernel->dynamic_shared_offset;
  uint64_t shared_end = launch->dynamic_shared ? kernel->dynamic_shared_offset + launch->dynamic_shared : 0;
  thread->shared_size = (uint32_t)(shared_end > kernel->static_shared ? shared_end : kernel->static_shared);
  thread->grid_id = launch->grid_id;
  thread->grid_workspace = launch->meeting ? (uint64_t)(uintptr_t)launch->meeting->workspace : 0;
  thread->frames = worker->frames;
  thread->stack_low = worker->stacks.base;
  thread->stack_high = worker->stacks.base + (size_t)worker->stacks.count * worker->stacks.stride;
  return true;
}

static void reset_barriers(struct gasan_cpu_worker *worker) {
  for (uint32_t i = 0; i < GASAN_CPU_BARRIERS; i++) {
    struct gasan_cpu_barrier *barrier = &worker->barriers[i];
    barrier->arrived = barrier->waiting = barrier->count = barrier->population = 0;
    barrier->all = true;
    barrier->any = barrier->reduces = false;
  }
}

static void reset_warps(struct gasan_cpu_worker *worker) {
  for (uint32_t first = 0, i = 0; first < worker->count; first += 32, i++) {
    struct gasan_cpu_warp *warp = &worker->warps[i];
    uint32_t lanes = worker->count - first < 32 ? worker->count - first : 32;
    warp->live = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warp->running = lanes;
    warp->waiting = warp->asking = 0;
    warp->polled = 0;
  }
}

static void reset_stacks(struct gasan_cpu_worker *worker) {
  worker->free_stack_count = worker->count;
  for (uint32_t i = 0; i < worker->count; i++)
    worker->free_stacks[i] = (uint16_t)(worker->count - 1 - i);
}

/* Called when no thread can continue. Counts ended threads as arrived at barriers with a count, and returns the fiber
 * that can then continue. NULL: there is none. */
static void *unblock(struct gasan_cpu_worker *worker) {
  if (!gasan_cpu_barriers_count_ended(worker))
    return NULL;
  worker->stuck = false;
  return gasan_cpu_next_ready(worker);
}

static void run_fibers(struct gasan_cpu_worker *worker) {
  reset_barriers(worker);
  reset_warps(worker);
  reset_stacks(worker);
  memset(worker->shared, 0, GASAN_CPU_SHARED_RESERVED);
  worker->live = worker->count;
  worker->next = 0;
  worker->head = worker->tail = 0;
  if (worker->random)
    gasan_cpu_order_begin(worker);
  const uint32_t first = gasan_cpu_next_new(worker);
  void *fiber = gasan_cpu_thread_begin(worker, first);
  gasan_cpu_become(worker, first);
  do /* the switch returns when no thread lives, none can go on, or the launch has failed */
    gasan_cpu_fiber_switch(&worker->scheduler, fiber);
  while (worker->stuck && (fiber = unblock(worker)));
}

static void run_loop(struct gasan_cpu_worker *worker) {
  worker->stack_of[0] = 0;
  uint32_t from = 0;
  while (from < worker->count && !atomic_load_explicit(&worker->launch->error, memory_order_relaxed)) {
    gasan_cpu_become(worker, from);
    /* Returns after the last thread (linear is then the count), or early when a thread has called exit. */
    gasan_cpu_fiber_switch(&worker->scheduler, gasan_cpu_fiber_prepare(&worker->stacks, 0));
    from = gasan_cpu_thread.linear + 1;
  }
}

void gasan_cpu_block_run(struct gasan_cpu_worker *worker, uint64_t place) {
  const uint32_t *grid = worker->launch->grid;
  const uint64_t index = worker->random ? gasan_cpu_order_block(worker->launch, place) : place;
  gasan_cpu_thread.ctaid[0] = (uint32_t)(index % grid[0]);
  gasan_cpu_thread.ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
  gasan_cpu_thread.ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
  gasan_cpu_thread.spin = 0;
  worker->place = place;
  worker->block = index;
  worker->polls = worker->waits = 0;
  worker->has_asked = false;
  worker->polled = 0;
  memset(gasan_cpu_thread.shared, SHARED_FILL, gasan_cpu_thread.shared_size);
  worker->in_device = true;
  if (gasan_cpu_thread.fiber)
    run_fibers(worker);
  else
    run_loop(worker);
  worker->in_device = false;
  if (worker->stuck)
    gasan_cpu_report_deadlock(worker);
  else if (worker->found)
    gasan_cpu_report_found(worker);
}

/* Called when the running thread has ended. If it is the turn of a thread that has not begun, makes it the running
 * thread, on the same stack, and returns. Otherwise switches to another fiber and does not return. */
static void end_thread(struct gasan_cpu_worker *worker) {
  uint32_t self = gasan_cpu_thread.linear;
  gasan_cpu_thread.spin = 0;
  worker->polls = worker->waits = 0;
  worker->live--;
  gasan_cpu_warp_leave(worker, self);
  gasan_cpu_barriers_leave(worker);
  if (gasan_cpu_begins_new(worker)) {
    uint32_t thread = gasan_cpu_next_new(worker);
    worker->stack_of[thread] = worker->stack_of[self];
    gasan_cpu_become(worker, thread);
    return;
  }
  worker->free_stacks[worker->free_stack_count++] = worker->stack_of[self];
  gasan_cpu_fiber_jump(worker->live ? gasan_cpu_next_ready(worker) : worker->scheduler);
}

void gasan_cpu_fiber_main(void) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  struct gasan_cpu_launch *launch = worker->launch;
  if (!gasan_cpu_thread.fiber) {
    launch->kernel->block(launch->arguments);
    gasan_cpu_thread.linear = worker->count;
    gasan_cpu_fiber_jump(worker->scheduler);
  }
  for (;;) {
    launch->kernel->thread(launch->arguments);
    end_thread(worker);
  }
}

GASAN_EXPORT void gasan_cpu_exit(void) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  GASAN_CHECK(worker && worker->in_device);
  uint32_t stack = gasan_cpu_thread.fiber ? worker->stack_of[gasan_cpu_thread.linear] : 0;
  gasan_cpu_stacks_unpoison(&worker->stacks, stack);
  if (!gasan_cpu_thread.fiber)
    gasan_cpu_fiber_jump(worker->scheduler);
  end_thread(worker);
  gasan_cpu_fiber_jump(gasan_cpu_fiber_prepare(&worker->stacks, stack));
}

GASAN_EXPORT GASAN_CPU_HIDE_FRAME void gasan_cpu_yield(void) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  uint32_t self = gasan_cpu_thread.linear;
  gasan_cpu_thread.spin = 0;
  if (atomic_load_explicit(&worker->launch->error, memory_order_relaxed))
    gasan_cpu_trap(GASAN_CPU_ERROR_LAUNCH_FAILURE);
  gasan_cpu_note_polling(worker);
  if (!gasan_cpu_thread.fiber) {
    sched_yield();
    return;
  }
  /* A polling lane counts as stalled until its turn comes again: it may poll for a store of a lane in activemask. */
  gasan_cpu_stall(worker, self);
  if (worker->next == worker->count && gasan_cpu_queue_empty(worker)) {
    sched_yield();
  } else {
    gasan_cpu_queue_push(worker, self);
    gasan_cpu_wait(worker, self);
  }
  if (worker->counts_running)
    worker->warps[self / 32].running++;
}
