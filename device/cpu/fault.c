/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops a launch: on trap, unsupported code, failed assertions, and signals that device code causes. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/check.h"
#include "base/export.h"
#include "device/cpu/cpu.h"
#include "device/cpu/trace.h"
#include "device/cpu/worker.h"

GASAN_EXPORT void gasan_cpu_trap(int error) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  GASAN_CHECK(worker && worker->in_device);
  gasan_cpu_launch_fail(worker->launch, error ? error : GASAN_CPU_ERROR_LAUNCH_FAILURE);
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
  gasan_cpu_fiber_jump(worker->scheduler);
}

GASAN_EXPORT void gasan_cpu_unsupported(const char *what) {
  fprintf(stderr, "gasan: kernel %s: not supported on the CPU device: %s\n",
          gasan_cpu_launch_name(gasan_cpu_worker->launch), what);
  gasan_cpu_trap(GASAN_CPU_ERROR_NOT_SUPPORTED);
}

GASAN_EXPORT void gasan_cpu_assert_fail(const char *message, const char *file, uint32_t line, const char *function,
                                        uint64_t char_size) {
  const struct gasan_cpu_thread *thread = &gasan_cpu_thread;
  fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
          thread->ctaid[0], thread->ctaid[1], thread->ctaid[2], thread->tid[0], thread->tid[1], thread->tid[2],
          message);
  gasan_cpu_trap(GASAN_CPU_ERROR_ASSERT);
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

/* Passes a fault of host code to the handler that was installed before ours. */
static void pass_on(int number, siginfo_t *info, void *context) {
  struct sigaction *action = &previous[caught_index(number)];
  if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
    sigaction(number, action, NULL);
    if (info->si_code <= 0) /* sent by a process: returning does not bring it again */
      raise(number);
    return; /* the faulting instruction runs again, without our handler */
  }
  struct sigaction handler = *action;
  if (handler.sa_flags & (int)SA_RESETHAND)
    *action = (struct sigaction){.sa_handler = SIG_DFL};
  if (handler.sa_flags & SA_SIGINFO)
    handler.sa_sigaction(number, info, context);
  else
    handler.sa_handler(number);
}

static int error_of(int number) {
  return number == SIGSEGV || number == SIGBUS ? GASAN_CPU_ERROR_ILLEGAL_ADDRESS : GASAN_CPU_ERROR_LAUNCH_FAILURE;
}

enum { PAGE_FAULT = 14, FAULT_OF_WRITE = 2, FAULT_OF_FETCH = 16 }; /* REG_TRAPNO, bits of REG_ERR */

static enum gasan_cpu_access access_of(int number, const greg_t *registers) {
  if (number != SIGSEGV && number != SIGBUS)
    return GASAN_CPU_ACCESS_UNKNOWN;
  if (registers[REG_TRAPNO] != PAGE_FAULT)
    return GASAN_CPU_ACCESS_UNKNOWN;
  return registers[REG_ERR] & FAULT_OF_FETCH   ? GASAN_CPU_ACCESS_CALL
         : registers[REG_ERR] & FAULT_OF_WRITE ? GASAN_CPU_ACCESS_WRITE
                                               : GASAN_CPU_ACCESS_READ;
}

/* Goes back to the call instruction after a call to an address without code, which has pushed its return address. */
static void return_from_call(const struct gasan_cpu_worker *worker, greg_t *registers) {
  const char *stack = (const char *)(uintptr_t)registers[REG_RSP];
  const char *low = worker->stacks.base, *high = low + (size_t)worker->stacks.count * worker->stacks.stride;
  if (stack < low || stack >= high)
    return;
  registers[REG_RIP] = *(const greg_t *)(const void *)stack - 1; /* inside of the call instruction */
  registers[REG_RSP] += 8;
}

static void note_fault(struct gasan_cpu_worker *worker, int number, uintptr_t address, greg_t *registers) {
  enum gasan_cpu_access access = access_of(number, registers);
  if (access == GASAN_CPU_ACCESS_CALL)
    return_from_call(worker, registers);
  gasan_cpu_note_fault(worker, number, access, address, (uintptr_t)registers[REG_RIP]);
}

static void on_signal(int number, siginfo_t *info, void *context) {
  struct gasan_cpu_worker *worker = gasan_cpu_worker;
  if (info->si_code > 0)
    gasan_cpu_trace_escape();
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
  } else if (gasan_cpu_launch_fail(worker->launch, error_of(number))) {
    note_fault(worker, number, address, registers);
  }
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
  /* On return the OS thread continues in the scheduler, as if the fiber had jumped there. */
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
