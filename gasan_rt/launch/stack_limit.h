/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much stack a GPU's threads get. Where the compiler knows what a kernel's threads need, the driver gives them as
 * much; of kernels that recurse or call through pointers nobody knows, and their threads get cudaLimitStackSize, 1 KiB
 * unless the program says otherwise. Instrumented functions take more stack than the program's own, which was what that
 * limit was chosen for: before the first launch of such a kernel the limit becomes GASAN_OPTIONS=stack_scale times the
 * program's. The program goes on to see its own. */
#ifndef GASAN_RT_STACK_LIMIT_H
#define GASAN_RT_STACK_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_rt_device;

/* Of one device. */
struct gasan_stack_limit {
  pthread_mutex_t lock;
  _Atomic bool scaled;
  uint64_t first;  /* the limit before anybody changed it; 0: it is still that */
  uint64_t wanted; /* with `scaled`: the program's */
};

/* A kernel is about to be launched, or to get into a graph, whose stack is not known. Any thread. */
void gasan_stack_limit_raise(struct gasan_rt_device *state);

/* The program is about to set the limit, and has set it. */
void gasan_stack_limit_before_change(struct gasan_rt_device *state);
void gasan_stack_limit_changed(struct gasan_rt_device *state);

/* *bytes is the device's own limit, and becomes the program's. */
void gasan_stack_limit_read(struct gasan_rt_device *state, size_t *bytes);

/* cudaDeviceReset: as it was at first. */
void gasan_stack_limit_reset(struct gasan_rt_device *state);

#endif
