/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where threads of a block are: the return addresses on their stacks. */
#ifndef GASAN_DEVICE_CPU_TRACE_H
#define GASAN_DEVICE_CPU_TRACE_H

#include <stdint.h>

#include "device/cpu/worker.h"

/* Of a fiber that is parked and will not run again: its stack is used up by this. To be called on the scheduler's
 * stack. Fills pcs, innermost first, and returns how many frames there are, which may be more than `most`. */
uint32_t gasan_cpu_trace_parked(void *parked, uintptr_t *pcs, uint32_t most);

/* Of the thread that calls this from a function of the engine. */
uint32_t gasan_cpu_trace_here(uintptr_t *pcs, uint32_t most);

/* Of the code that the signal handler interrupted which calls this; `pc` is where it was. Ends early where the stack
 * makes no sense. If it faults itself, the handler of that fault gets back here by escape, which else returns. */
uint32_t gasan_cpu_trace_interrupted(uintptr_t pc, uintptr_t *pcs, uint32_t most);
void gasan_cpu_trace_escape(void);

#endif
