/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The caller of an allocation or a free, for its record: the name of the call (a string that is never freed), the
 * thread and its stack. Any thread. */
#ifndef GASAN_RT_CALLER_H
#define GASAN_RT_CALLER_H

#include "gasan_rt/sanitizer/sanitizer.h"
#include "pool/pool.h"

static inline struct gasan_pool_caller gasan_memory_caller(const char *api) {
  return (struct gasan_pool_caller){api, gasan_stack_capture(api), gasan_thread_number()};
}

#endif
