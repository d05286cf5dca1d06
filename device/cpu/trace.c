/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/cpu/trace.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <unwind.h>

#include "device/cpu/fiber.h"

struct trace {
  uintptr_t *pcs;
  uint32_t most, count;
  uintptr_t from;   /* frames inside of this one are left out; 0: it was seen */
  bool interrupted; /* `from` is the instruction that a signal interrupted, not a return address */
  void *back;       /* the caller's stack, parked */
};

static __thread struct trace trace_of_thread;

/* The linker's symbols at the beginning and end of all functions with GASAN_CPU_HIDE_FRAME. */
extern const char hidden_begin[] __asm__("__start_gasan_cpu_hidden_frames") __attribute__((visibility("hidden")));
extern const char hidden_end[] __asm__("__stop_gasan_cpu_hidden_frames") __attribute__((visibility("hidden")));

/* Returns true for a return address in a hidden function. A call that does not return may be a function's last
 * instruction; its return address is then the start of the next function. */
static bool is_hidden(uintptr_t return_address) {
  return return_address > (uintptr_t)hidden_begin && return_address <= (uintptr_t)hidden_end;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument) {
  struct trace *trace = argument;
  uintptr_t pc = _Unwind_GetIP(context);
  if (!pc)
    return _URC_END_OF_STACK;
  if (trace->from) {
    if (pc != trace->from)
      return _URC_NO_REASON;
    trace->from = 0;
    pc += trace->interrupted; /* symbolizers look up the instruction before a return address */
  }
  if (trace->count == 0 && !trace->interrupted && is_hidden(pc))
    return _URC_NO_REASON;
  if (trace->count < trace->most)
    trace->pcs[trace->count] = pc;
  trace->count++;
  return _URC_NO_REASON;
}

/* Collects the trace. Runs on the traced fiber's stack, as if the function that waits there had called it. */
__attribute__((noreturn, used)) void gasan_cpu_trace_collect(void) {
  _Unwind_Backtrace(add_frame, &trace_of_thread);
  gasan_cpu_fiber_jump(trace_of_thread.back);
}

/* Begins with [frame pointer][resume address] on the stack, so that the resume address looks like a return address. */
__asm__(".text\n"
        ".hidden gasan_cpu_trace_begin\n"
        ".hidden gasan_cpu_trace_collect\n"
        ".globl gasan_cpu_trace_begin\n"
        ".type gasan_cpu_trace_begin, @function\n"
        "gasan_cpu_trace_begin:\n"
        "  .cfi_startproc\n"
        "  pop %rbp\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset rbp, -16\n"
        "  mov %rsp, %rbp\n"
        "  .cfi_def_cfa_register rbp\n"
        "  and $-16, %rsp\n"
        "  call gasan_cpu_trace_collect\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size gasan_cpu_trace_begin, . - gasan_cpu_trace_begin\n");
void gasan_cpu_trace_begin(void);

uint32_t gasan_cpu_trace_parked(void *parked, uintptr_t *pcs, uint32_t most) {
  uintptr_t *frame = parked, resume = frame[0];
  frame[0] = frame[1];
  frame[1] = resume;
  frame[-1] = (uintptr_t)gasan_cpu_trace_begin;
  trace_of_thread = (struct trace){.pcs = pcs, .most = most, .from = resume};
  gasan_cpu_fiber_switch(&trace_of_thread.back, frame - 1);
  return trace_of_thread.count;
}

GASAN_CPU_HIDE_FRAME uint32_t gasan_cpu_trace_here(uintptr_t *pcs, uint32_t most) {
  struct trace trace = {.pcs = pcs, .most = most};
  _Unwind_Backtrace(add_frame, &trace);
  return trace.count;
}

static __thread sigjmp_buf *volatile escape; /* NULL: nothing to escape from */

void gasan_cpu_trace_escape(void) {
  if (escape)
    siglongjmp(*escape, 1);
}

/* Device code may have overwritten its stack or jumped anywhere, so the unwinder may read addresses that fault. */
uint32_t gasan_cpu_trace_interrupted(uintptr_t pc, uintptr_t *pcs, uint32_t most) {
  sigset_t faults, old;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &faults, &old);
  trace_of_thread = (struct trace){.pcs = pcs, .most = most, .from = pc, .interrupted = true};
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) {
    escape = &here;
    _Unwind_Backtrace(add_frame, &trace_of_thread);
  }
  escape = NULL;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return trace_of_thread.count;
}
