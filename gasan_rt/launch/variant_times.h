/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times launches of a kernel with CUDA events, for the trial that finds out what is quicker than its variant
 * (gasan_rt/launch/variant_trial.h). Nothing waits: a later launch reads the events of those
 * that have ended. Any thread. One lock for each kernel, under which only CUDA's event functions are called. */
#ifndef GASAN_RT_VARIANT_TIMES_H
#define GASAN_RT_VARIANT_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/launch/variant_trial.h"

struct gasan_variant_times; /* of one kernel; lives until the process ends */

/* One launch that is timed. */
struct gasan_timed_launch {
  struct gasan_variant_times *times; /* NULL: it is not timed */
  unsigned number;
};

/* Returns what is to run. Sets *launch: if the launch is timed, gasan_timed_launch_begin and gasan_timed_launch_end
 * must follow. `shape` is a hash of the launch's shape and device. `fitted`: the variant has a form with fewer
 * registers. *times is NULL at first. */
enum gasan_trial_choice gasan_variant_times_choose(struct gasan_variant_times *_Atomic *times, uint64_t shape,
                                                   bool fitted, struct gasan_timed_launch *launch);

/* Returns the trial's result; GASAN_TRIAL_VARIANT before. */
enum gasan_trial_choice gasan_variant_times_best(struct gasan_variant_times *_Atomic *times);

/* Call right before and right after the launch into a cudaStream_t. They keep the thread's last error. */
void gasan_timed_launch_begin(const struct gasan_timed_launch *launch, void *stream);
void gasan_timed_launch_end(const struct gasan_timed_launch *launch, void *stream, bool launched);

#endif
