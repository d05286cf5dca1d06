/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack limit of a GPU's threads.
 *
 * If the compiler knows a kernel's stack need, the driver allocates as much. Kernels that recurse or call through
 * pointers have an unknown need, and get cudaLimitStackSize, 1 KiB by default. Functions with checks need more stack
 * than the program's own, for which the program has chosen that limit. So before the first launch of such a kernel the
 * limit becomes GASAN_OPTIONS=stack_scale times the program's. The program still reads its own value. */
#ifndef GASAN_RT_STACK_LIMIT_H
#define GASAN_RT_STACK_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_rt_device;

/* One device's limit. */
struct gasan_stack_limit {
  pthread_mutex_t lock;
  _Atomic bool scaled;
  uint64_t first;  /* the device's first limit; 0: not changed yet */
  uint64_t wanted; /* the program's limit, if `scaled` */
};

/* Call before a kernel with unknown stack need is launched or added to a graph. Any thread. */
void gasan_stack_limit_raise(struct gasan_rt_device *state);

/* Call before and after the program sets the limit. */
void gasan_stack_limit_before_change(struct gasan_rt_device *state);
void gasan_stack_limit_changed(struct gasan_rt_device *state);

/* Replaces *bytes, the device's limit, by the program's. */
void gasan_stack_limit_read(struct gasan_rt_device *state, size_t *bytes);

/* Restores the first limit, for cudaDeviceReset. */
void gasan_stack_limit_reset(struct gasan_rt_device *state);

#endif
