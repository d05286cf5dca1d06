/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces the stacks of a block's CUDA threads. All functions fill pcs with return addresses, innermost first, and
 * return the number of frames, which may be greater than `most`. */
#ifndef GASAN_DEVICE_CPU_TRACE_H
#define GASAN_DEVICE_CPU_TRACE_H

#include <stdint.h>

/* Marks a function of the engine in which a CUDA thread waits or is stopped. Traces omit its frame, so that they begin
 * with the device code that called it. */
#define GASAN_CPU_HIDE_FRAME __attribute__((section("gasan_cpu_hidden_frames")))

/* Traces a parked fiber. The fiber must not run again, because the trace uses its stack. Must be called on the
 * scheduler's stack. */
uint32_t gasan_cpu_trace_parked(void *parked, uintptr_t *pcs, uint32_t most);

/* Traces the running thread. Must be called in a function with GASAN_CPU_HIDE_FRAME. */
uint32_t gasan_cpu_trace_here(uintptr_t *pcs, uint32_t most);

/* Traces the code that a signal interrupted at `pc`. Must be called in the signal handler. The trace ends early where
 * the stack is inconsistent. If tracing itself faults, the handler of that fault must call escape, which continues
 * here. Outside a trace, escape returns. */
uint32_t gasan_cpu_trace_interrupted(uintptr_t pc, uintptr_t *pcs, uint32_t most);
void gasan_cpu_trace_escape(void);

#endif
