/* How a launch fails: trap, unsupported code, and signals that device code causes. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/check.h"
#include "device/cpu/cpu.h"
#include "device/cpu/worker.h"

bool gasan_cpu_launch_fail(struct gasan_cpu_launch *launch, int error) {
  int none = 0;
  return atomic_compare_exchange_strong(&launch->error, &none, error);
}

__attribute__((visibility("default"))) void gasan_cpu_trap(int error) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  GASAN_CHECK(worker && worker->in_device);
  gasan_cpu_launch_fail(worker->launch, error ? error : GASAN_CPU_ERROR_LAUNCH_FAILURE);
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
  gasan_cpu_fiber_jump(worker->scheduler);
}

__attribute__((visibility("default"))) void gasan_cpu_unsupported(const char *what) {
  fprintf(stderr, "gasan: kernel %s: not supported on the CPU device: %s\n", gasan_cpu_launch_name(gasan_cpu_worker->launch), what);
  gasan_cpu_trap(GASAN_CPU_ERROR_NOT_SUPPORTED);
}

static const int caught_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { CAUGHT_COUNT = sizeof caught_signals / sizeof caught_signals[0] };
static struct sigaction previous[CAUGHT_COUNT];

static int caught_index(int number) {
  int index = 0;
  while (caught_signals[index] != number)
    index++;
  return index;
}

/* A fault of host code goes to whoever had the signal before us, as if we were not there. */
static void pass_on(int number, siginfo_t *info, void *context) {
  struct sigaction *action = &previous[caught_index(number)];
  if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
    sigaction(number, action, NULL);
    if (info->si_code <= 0) /* sent by a process: it does not come again by itself */
      raise(number);
    return; /* the faulting instruction runs again, without us */
  }
  struct sigaction handler = *action;
  if (handler.sa_flags & (int)SA_RESETHAND)
    *action = (struct sigaction){.sa_handler = SIG_DFL};
  if (handler.sa_flags & SA_SIGINFO)
    handler.sa_sigaction(number, info, context);
  else
    handler.sa_handler(number);
}

static const char *describe_fault(int number, int *error) {
  *error = GASAN_CPU_ERROR_LAUNCH_FAILURE;
  if (number == SIGFPE)
    return "arithmetic fault";
  if (number == SIGILL)
    return "illegal instruction or trap";
  *error = GASAN_CPU_ERROR_ILLEGAL_ADDRESS;
  return "illegal memory access";
}

static void print_fault(const struct gasan_cpu_worker *worker, const char *what, uintptr_t address, uintptr_t pc) {
  const struct gasan_cpu_thread *thread = &gasan_cpu_thread;
  char line[512];
  int length = snprintf(line, sizeof line,
                        "gasan: %s in kernel %s, block (%u,%u,%u), thread (%u,%u,%u), at address 0x%lx, pc 0x%lx\n", what,
                        gasan_cpu_launch_name(worker->launch), thread->ctaid[0], thread->ctaid[1], thread->ctaid[2], thread->tid[0],
                        thread->tid[1], thread->tid[2], (unsigned long)address, (unsigned long)pc);
  size_t size = length < (int)sizeof line ? (size_t)length : sizeof line - 1;
  if (write(STDERR_FILENO, line, size) < 0)
    return; /* nobody listens; the launch's error says it too */
}

static struct gasan_cpu_fault last_fault;
static _Atomic int fault_noted; /* 1: somebody writes it, 2: it is there */

bool gasan_cpu_last_fault(struct gasan_cpu_fault *fault) {
  if (atomic_load(&fault_noted) != 2)
    return false;
  *fault = last_fault;
  return true;
}

static void note_fault(const struct gasan_cpu_worker *worker, uintptr_t address) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&fault_noted, &none, 1))
    return;
  last_fault.address = address;
  last_fault.grid_id = worker->launch->grid_id;
  memcpy(last_fault.thread, gasan_cpu_thread.tid, sizeof last_fault.thread);
  memcpy(last_fault.block, gasan_cpu_thread.ctaid, sizeof last_fault.block);
  atomic_store(&fault_noted, 2);
}

static void on_signal(int number, siginfo_t *info, void *context) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  if (!worker || !worker->in_device || info->si_code <= 0) {
    pass_on(number, info, context);
    return;
  }
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  uintptr_t address = (uintptr_t)info->si_addr, pc = (uintptr_t)registers[REG_RIP];
  uint32_t stack = gasan_cpu_thread.fiber ? worker->stack_of[gasan_cpu_thread.linear] : 0;
  if (number == SIGSEGV &&
      gasan_cpu_stacks_overflowed(&worker->stacks, stack, address, (uintptr_t)registers[REG_RSP])) {
    if (gasan_cpu_launch_fail(worker->launch, GASAN_CPU_ERROR_STACK))
      gasan_cpu_note_stack_overflow(worker, address, pc);
  } else {
    int error;
    const char *what = describe_fault(number, &error);
    print_fault(worker, what, address, pc);
    if (error == GASAN_CPU_ERROR_ILLEGAL_ADDRESS)
      note_fault(worker, address);
    gasan_cpu_launch_fail(worker->launch, error);
  }
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
  /* On return the OS thread goes on in the scheduler, as if the fiber had jumped there. */
  void **scheduler = worker->scheduler;
  registers[REG_RIP] = (greg_t)(uintptr_t)scheduler[0];
  registers[REG_RSP] = (greg_t)(uintptr_t)(scheduler + 1);
  registers[REG_EFL] &= ~(greg_t)0x400; /* direction flag */
}

void gasan_cpu_fault_install(void) {
  for (int i = 0; i < CAUGHT_COUNT; i++) {
    sigaction(caught_signals[i], NULL, &previous[i]);
    struct sigaction ours = {.sa_sigaction = on_signal};
    ours.sa_mask = previous[i].sa_mask;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (previous[i].sa_flags & SA_NODEFER);
    sigaction(caught_signals[i], &ours, NULL);
  }
}
