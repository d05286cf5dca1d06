/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raises the stack limit of a GPU's threads. Any thread. Each device has a lock (`lock`).
 *
 * If the compiler knows how much stack a kernel needs, the driver allocates as much. A kernel that recurses or calls
 * through pointers has an unknown need, and gets cudaLimitStackSize, 1 KiB by default. The program has chosen that
 * limit for its own functions, but functions with checks need more stack. So before the first launch of such a kernel,
 * the limit becomes GASAN_OPTIONS=stack_scale times the program's. The program still reads its own value. */
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

/* Must be called before a kernel with unknown stack need is launched or added to a graph. */
void gasan_stack_limit_raise(struct gasan_rt_device *state);

/* Must be called before and after the program sets the limit. */
void gasan_stack_limit_before_change(struct gasan_rt_device *state);
void gasan_stack_limit_changed(struct gasan_rt_device *state);

/* Replaces *bytes, the device's limit, by the program's. */
void gasan_stack_limit_read(struct gasan_rt_device *state, size_t *bytes);

/* Restores the first limit, for cudaDeviceReset. */
void gasan_stack_limit_reset(struct gasan_rt_device *state);

#endif
