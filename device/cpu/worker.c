/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/cpu/worker.h"

#include "base/export.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALTERNATE_STACK_SIZE (64u << 10)
#define SHARED_WINDOW_SIZE ((GASAN_CPU_SHARED_RESERVED + GASAN_CPU_SHARED_LIMIT + 4095u) & ~4095u)

__thread struct gasan_cpu_thread gasan_cpu_thread __attribute__((tls_model("initial-exec")));
__thread struct gasan_cpu_worker *gasan_cpu_worker __attribute__((tls_model("initial-exec")));

GASAN_EXPORT struct gasan_cpu_thread *gasan_cpu_this_thread(void) {
  return &gasan_cpu_thread;
}

static pthread_key_t worker_key;
static pthread_once_t worker_key_once = PTHREAD_ONCE_INIT;

static void free_worker(void *object) {
  struct gasan_cpu_worker *worker = object;
  gasan_cpu_worker = NULL;
  if (worker->alternate_stack) {
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && current.ss_sp == worker->alternate_stack) {
      stack_t none = {.ss_flags = SS_DISABLE};
      sigaltstack(&none, NULL);
    }
    munmap(worker->alternate_stack, ALTERNATE_STACK_SIZE);
  }
  gasan_cpu_stacks_release(&worker->stacks);
  if (worker->shared)
    munmap(worker->shared, SHARED_WINDOW_SIZE);
  munmap(worker, sizeof *worker);
}

static void make_worker_key(void) {
  pthread_key_create(&worker_key, free_worker);
}

static void *map_pages(size_t size, int flags) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Makes sure that there is an alternate signal stack, which the signal handler needs after a fiber's stack overflow. If
 * the program or host ASan has set one, that stack is used. */
static bool ensure_alternate_stack(struct gasan_cpu_worker *worker) {
  stack_t current;
  if (sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE))
    return true;
  worker->alternate_stack = map_pages(ALTERNATE_STACK_SIZE, 0);
  if (!worker->alternate_stack)
    return false;
  stack_t ours = {.ss_sp = worker->alternate_stack, .ss_size = ALTERNATE_STACK_SIZE};
  return sigaltstack(&ours, NULL) == 0;
}

/* Unblocks the signals of faults: a fault with a blocked signal would end the process without a report. */
static void unblock_faults(void) {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  sigaddset(&faults, SIGFPE);
  sigaddset(&faults, SIGILL);
  pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
}

struct gasan_cpu_worker *gasan_cpu_worker_get(void) {
  if (gasan_cpu_worker)
    return gasan_cpu_worker;
  pthread_once(&worker_key_once, make_worker_key);
  struct gasan_cpu_worker *worker = map_pages(sizeof *worker, 0);
  if (!worker)
    return NULL;
  worker->shared = map_pages(SHARED_WINDOW_SIZE, MAP_32BIT); /* for 32-bit shared addresses */
  if (!worker->shared || !ensure_alternate_stack(worker) || pthread_setspecific(worker_key, worker) != 0) {
    free_worker(worker);
    return NULL;
  }
  unblock_faults();
  gasan_cpu_worker = worker;
  return worker;
}

void gasan_cpu_worker_drop(void) {
  if (!gasan_cpu_worker)
    return;
  pthread_setspecific(worker_key, NULL);
  free_worker(gasan_cpu_worker);
}
