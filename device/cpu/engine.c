/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs launches: a pool of OS threads, to which the launching thread belongs, shares the blocks of a grid. */
#define _GNU_SOURCE
#include "device/cpu/engine.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <xmmintrin.h>

#include "device/cpu/cpu.h"
#include "device/cpu/worker.h"

#define MOST_THREADS 1024
#define MOST_CHUNK 64        /* blocks that a worker takes at once */
#define MOST_MORE_THREADS 64 /* threads that run at one time because blocks poll */

static atomic_int threads_wanted; /* 0: one for each core */

void gasan_cpu_set_threads(int threads) {
  atomic_store(&threads_wanted, threads < 1 ? 0 : threads > MOST_THREADS ? MOST_THREADS : threads);
}

static int usable_cores(void) {
  cpu_set_t set;
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return cores < 1 ? 1 : cores;
}

int gasan_cpu_threads(void) {
  static atomic_int cores;
  int wanted = atomic_load_explicit(&threads_wanted, memory_order_relaxed);
  if (wanted)
    return wanted;
  if (!atomic_load_explicit(&cores, memory_order_relaxed))
    atomic_store(&cores, usable_cores());
  return atomic_load_explicit(&cores, memory_order_relaxed);
}

/* Runs the blocks from `first` up to `end`, and then further blocks, until none is left or the launch has failed. */
static void run_blocks_from(struct gasan_cpu_launch *launch, uint64_t first, uint64_t end) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker_get();
  if (!worker || !gasan_cpu_worker_begin(worker, launch)) {
    gasan_cpu_launch_fail(launch, GASAN_CPU_ERROR_OUT_OF_MEMORY);
    return;
  }
  unsigned float_mode = _mm_getcsr(); /* device code that is stopped may leave another */
  uint64_t block = first;
  worker->end = end;
  while (!atomic_load_explicit(&launch->error, memory_order_relaxed)) {
    for (; block < worker->end && !atomic_load_explicit(&launch->error, memory_order_relaxed); block++) {
      gasan_cpu_block_run(worker, block);
      if (launch->meeting)
        gasan_cpu_grid_leave(launch);
    }
    block = atomic_fetch_add_explicit(&launch->next, launch->chunk, memory_order_relaxed);
    if (block >= launch->blocks)
      break;
    worker->end = block + launch->chunk < launch->blocks ? block + launch->chunk : launch->blocks;
  }
  _mm_setcsr(float_mode);
}

static void run_blocks(struct gasan_cpu_launch *launch) {
  run_blocks_from(launch, 0, 0);
}

/* The pool of OS threads. A new generation announces a launch. A thread that wakes up after the launch's end finds no
 * work. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  struct gasan_cpu_launch *launch;
  uint64_t generation;
  unsigned size;    /* threads in the pool */
  unsigned helpers; /* those that may help with this launch */
  unsigned busy;
  unsigned more; /* threads outside the pool, started because blocks poll */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void *pool_thread(void *argument) {
  unsigned index = (unsigned)(uintptr_t)argument;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (pool.generation == seen)
      pthread_cond_wait(&pool.start, &pool.lock);
    seen = pool.generation;
    struct gasan_cpu_launch *launch = pool.launch;
    if (!launch || index >= pool.helpers)
      continue;
    pool.busy++;
    pthread_mutex_unlock(&pool.lock);
    run_blocks(launch);
    pthread_mutex_lock(&pool.lock);
    if (--pool.busy == 0)
      pthread_cond_signal(&pool.done);
  }
  return NULL;
}

/* Starts a thread that blocks all signals except faults, so that the program's handlers do not run on it. */
static bool start_thread(pthread_t *thread, void *(*function)(void *), void *argument) {
  sigset_t blocked, old;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGSEGV);
  sigdelset(&blocked, SIGBUS);
  sigdelset(&blocked, SIGFPE);
  sigdelset(&blocked, SIGILL);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  int failed = pthread_create(thread, NULL, function, argument);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return !failed;
}

/* Starts threads until the pool has `size`, or no more can be started. With the pool's lock. */
static void grow_pool(unsigned size) {
  while (pool.size < size) {
    pthread_t thread;
    if (!start_thread(&thread, pool_thread, (void *)(uintptr_t)pool.size))
      return;
    pthread_detach(thread);
    pool.size++;
  }
}

static void run_shared(struct gasan_cpu_launch *launch, unsigned helpers) {
  pthread_mutex_lock(&pool.lock);
  grow_pool(helpers);
  pool.helpers = helpers;
  pool.launch = launch;
  pool.generation++;
  pthread_cond_broadcast(&pool.start);
  pthread_mutex_unlock(&pool.lock);
  run_blocks(launch);
  pthread_mutex_lock(&pool.lock);
  pool.launch = NULL;
  while (pool.busy)
    pthread_cond_wait(&pool.done, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

struct share {
  struct gasan_cpu_launch *launch;
  uint64_t first, end;
};

static void *extra_thread(void *argument) {
  struct share share = *(struct share *)argument;
  free(argument);
  run_blocks_from(share.launch, share.first, share.end);
  gasan_cpu_worker_drop();
  pthread_mutex_lock(&pool.lock);
  if (--pool.more == 0)
    pthread_cond_signal(&pool.done);
  pthread_mutex_unlock(&pool.lock);
  return NULL;
}

/* Starts an OS thread for blocks that have not begun. This may be in vain: the block may wait for one that runs
 * already. */
static void start_more(struct gasan_cpu_worker *worker) {
  struct gasan_cpu_launch *launch = worker->launch;
  if (launch->meeting || (worker->place + 1 >= worker->end && atomic_load(&launch->next) >= launch->blocks))
    return;
  struct share *share = malloc(sizeof *share);
  if (!share)
    return;
  *share = (struct share){launch, worker->place + 1, worker->end};
  pthread_mutex_lock(&pool.lock);
  pthread_t thread;
  bool started = pool.more < MOST_MORE_THREADS && start_thread(&thread, extra_thread, share);
  pool.more += started;
  pthread_mutex_unlock(&pool.lock);
  if (!started) {
    free(share);
    return;
  }
  pthread_detach(thread);
  worker->end = worker->place + 1;
  atomic_store(&launch->has_more_threads, true);
}

static void wait_for_more_threads(void) {
  pthread_mutex_lock(&pool.lock);
  while (pool.more)
    pthread_cond_wait(&pool.done, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

static void *cooperative_thread(void *argument) {
  run_blocks(argument);
  gasan_cpu_worker_drop();
  return NULL;
}

/* Runs each block on an OS thread of its own, because it may wait for all others. */
static void run_cooperative(struct gasan_cpu_launch *launch) {
  struct gasan_cpu_grid meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .live = (uint32_t)launch->blocks};
  launch->meeting = &meeting;
  uint64_t helpers = launch->blocks - 1, started = 0;
  pthread_t *threads = helpers ? malloc(helpers * sizeof *threads) : NULL;
  if (helpers && !threads)
    gasan_cpu_launch_fail(launch, GASAN_CPU_ERROR_OUT_OF_MEMORY);
  while (threads && started < helpers && start_thread(&threads[started], cooperative_thread, launch))
    started++;
  if (started < helpers)
    gasan_cpu_launch_fail(launch, GASAN_CPU_ERROR_OUT_OF_MEMORY);
  run_blocks(launch);
  for (uint64_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  free(threads);
  launch->meeting = NULL;
}

int gasan_cpu_engine_run(struct gasan_cpu_launch *launch) {
  launch->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  launch->chunk = 1;
  launch->meeting = NULL;
  launch->start_more = start_more;
  atomic_init(&launch->next, 0);
  atomic_init(&launch->error, 0);
  atomic_init(&launch->polling_reported, false);
  atomic_init(&launch->has_more_threads, false);
  unsigned threads = (unsigned)gasan_cpu_threads();
  if (launch->cooperative) {
    run_cooperative(launch);
  } else if (threads == 1 || launch->blocks == 1) {
    run_blocks(launch);
  } else {
    uint64_t chunk = launch->blocks / (threads * 8ull);
    launch->chunk = chunk < 1 ? 1 : chunk > MOST_CHUNK ? MOST_CHUNK : chunk;
    run_shared(launch, threads - 1 < launch->blocks - 1 ? threads - 1 : (unsigned)(launch->blocks - 1));
  }
  if (atomic_load(&launch->has_more_threads))
    wait_for_more_threads();
  return atomic_load(&launch->error);
}
