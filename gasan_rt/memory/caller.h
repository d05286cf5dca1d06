/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who allocates or frees, for a record: the call's name, which lives for ever, and the calling thread with its stack.
 * Any thread. */
#ifndef GASAN_RT_CALLER_H
#define GASAN_RT_CALLER_H

#include "gasan_rt/sanitizer/sanitizer.h"
#include "pool/pool.h"

static inline struct gasan_pool_caller gasan_memory_caller(const char *api) {
  return (struct gasan_pool_caller){api, gasan_stack_capture(api), gasan_thread_number()};
}

#endif
