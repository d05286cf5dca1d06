/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of the running thread and of its launch. */
#ifndef GASAN_RT_KERNEL_THREAD_ID_H
#define GASAN_RT_KERNEL_THREAD_ID_H

#include "gasan_rt/kernel/device_code.h"

/* LLVM reads only the low half of %gridid. */
GASAN_INLINE uint64_t gasan_grid_id(void) {
  return (uint32_t)__nvvm_read_ptx_sreg_gridid();
}

/* Returns the thread's linear index in its block. */
GASAN_INLINE uint32_t gasan_thread_index(void) {
  uint32_t thread = __nvvm_read_ptx_sreg_tid_z();
  thread = thread * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y();
  return thread * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

/* Returns the thread's linear index in the grid. */
static __attribute__((device, noinline, cold, unused)) uint64_t gasan_thread_order(void) {
  uint64_t block = __nvvm_read_ptx_sreg_ctaid_z();
  block = block * __nvvm_read_ptx_sreg_nctaid_y() + __nvvm_read_ptx_sreg_ctaid_y();
  block = block * __nvvm_read_ptx_sreg_nctaid_x() + __nvvm_read_ptx_sreg_ctaid_x();
  uint32_t threads = __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  return block * threads + gasan_thread_index();
}

#endif
