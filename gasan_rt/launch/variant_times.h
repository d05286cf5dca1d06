/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times launches of a kernel with CUDA events, for the trial that compares the kernel's variant with its alternatives
 * (variant_trial.h). No function waits: a later launch reads the events of launches that have ended. Any thread. Each
 * kernel has a lock, under which only CUDA's event functions are called. */
#ifndef GASAN_RT_VARIANT_TIMES_H
#define GASAN_RT_VARIANT_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/variant_trial.h"

struct gasan_variant_times; /* of one kernel; lives until the process ends */

/* The timing of one launch. */
struct gasan_timed_launch {
  struct gasan_variant_times *times; /* NULL: it is not timed */
  unsigned number;
};

/* Returns what to launch. Sets *launch. If the launch is timed (launch->times is not NULL), the caller must call
 * gasan_timed_launch_begin and gasan_timed_launch_end. `shape`, `full` and `fitted`: see
 * gasan_trial_next. `times`: the kernel's place for its times; *times is NULL at first. */
enum gasan_trial_choice gasan_variant_times_choose(struct gasan_variant_times *_Atomic *times, uint64_t shape,
                                                   bool full, bool fitted, struct gasan_timed_launch *launch);

/* Returns the trial's result, or GASAN_TRIAL_VARIANT while there is none. */
enum gasan_trial_choice gasan_variant_times_best(struct gasan_variant_times *_Atomic *times);

/* Must be called right before and right after the launch; `stream` is the launch's cudaStream_t. Keep the thread's last
 * error. Do nothing for a launch that is not timed. */
void gasan_timed_launch_begin(const struct gasan_timed_launch *launch, void *stream);
void gasan_timed_launch_end(const struct gasan_timed_launch *launch, void *stream, bool launched);

#endif
