/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds out whether a kernel's variant with fewer checks is slower than the kernel with all of them: the variant may
 * need more registers, so that fewer blocks run at once. A trial compares the times of launches of one shape. Each of
 * both runs in half of them, in an order (ABBABAAB) that is fair if every second or every fourth launch has more work.
 * The least time of each counts. The variant stays unless it is slower by more than GASAN_TRIAL_PERCENT.
 *
 * A trial has no lock and reads no clock: the caller does both. */
#ifndef GASAN_RT_VARIANT_TRIAL_H
#define GASAN_RT_VARIANT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define GASAN_TRIAL_BEFORE 8u  /* launches of the variant before the trial: kernels with fewer launches have none */
#define GASAN_TRIAL_ROUNDS 8u  /* timed launches */
#define GASAN_TRIAL_PERCENT 3u /* smaller differences are noise */

enum gasan_trial_step {
  GASAN_TRIAL_USE_VARIANT, /* launch the variant; nothing is timed */
  GASAN_TRIAL_USE_FULL,    /* launch the kernel with all checks; nothing is timed */
  GASAN_TRIAL_TIME_VARIANT,
  GASAN_TRIAL_TIME_FULL,
};

/* Begins with zeros. */
struct gasan_trial {
  uint64_t shape;    /* of the launches that are timed */
  uint64_t least[2]; /* nanoseconds; of the variant and of the kernel with all checks */
  uint8_t seen, begun, ended, timed[2];
  bool given_up;
};

/* Returns what to do with the next launch. `shape` is a hash of the launch's shape and device. After a step that is
 * timed, gasan_trial_end must be called once, in any order and at any time. */
enum gasan_trial_step gasan_trial_next(struct gasan_trial *trial, uint64_t shape);

/* Adds the time of a launch. 0: it is not known. */
void gasan_trial_end(struct gasan_trial *trial, enum gasan_trial_step step, uint64_t nanoseconds);

/* Returns true if all timed launches have ended. */
bool gasan_trial_is_over(const struct gasan_trial *trial);

#endif
