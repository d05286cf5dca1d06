/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of the running thread and of its launch. */
#ifndef GASAN_RT_KERNEL_THREAD_ID_H
#define GASAN_RT_KERNEL_THREAD_ID_H

#include "gasan_rt/kernel/device_code.h"

/* LLVM reads only the low half of %gridid. */
GASAN_INLINE uint64_t gasan_grid_id(void) {
  return (uint32_t)__nvvm_read_ptx_sreg_gridid();
}

/* Reads a special register anew (uint32_t). Otherwise the compiler would keep what the kernel has read, or what a
 * report has read before, in a register until the report's last use, and a report inlined into a kernel would cost it
 * up to eight registers. */
#define GASAN_READ(name)                                                                                               \
  ({                                                                                                                   \
    uint32_t value;                                                                                                    \
    __asm__ volatile("mov.u32 %0, %%" name ";" : "=r"(value));                                                         \
    value;                                                                                                             \
  })

/* Returns the thread's linear index in its block. */
GASAN_INLINE uint32_t gasan_thread_index(void) {
  uint32_t thread = GASAN_READ("tid.z");
  thread = thread * GASAN_READ("ntid.y") + GASAN_READ("tid.y");
  return thread * GASAN_READ("ntid.x") + GASAN_READ("tid.x");
}

/* Returns the thread's linear index in the grid. */
static __attribute__((device, noinline, cold, unused)) uint64_t gasan_thread_order(void) {
  uint64_t block = GASAN_READ("ctaid.z");
  block = block * GASAN_READ("nctaid.y") + GASAN_READ("ctaid.y");
  block = block * GASAN_READ("nctaid.x") + GASAN_READ("ctaid.x");
  uint32_t threads = GASAN_READ("ntid.x") * GASAN_READ("ntid.y") * GASAN_READ("ntid.z");
  return block * threads + gasan_thread_index();
}

#endif
