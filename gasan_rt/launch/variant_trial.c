/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

bool gasan_trial_is_over(const struct gasan_trial *trial) {
  return trial->ended == GASAN_TRIAL_ROUNDS;
}

enum gasan_trial_step gasan_trial_next(struct gasan_trial *trial, uint64_t shape) {
  static const bool full_at[GASAN_TRIAL_ROUNDS] = {false, true, true, false, true, false, false, true};
  if (trial->given_up)
    return GASAN_TRIAL_USE_FULL;
  if (!trial->seen)
    trial->shape = shape;
  if (shape != trial->shape || trial->begun == GASAN_TRIAL_ROUNDS)
    return GASAN_TRIAL_USE_VARIANT;
  if (trial->seen < GASAN_TRIAL_BEFORE) {
    trial->seen++;
    return GASAN_TRIAL_USE_VARIANT;
  }
  return full_at[trial->begun++] ? GASAN_TRIAL_TIME_FULL : GASAN_TRIAL_TIME_VARIANT;
}

void gasan_trial_end(struct gasan_trial *trial, enum gasan_trial_step step, uint64_t nanoseconds) {
  const int of = step == GASAN_TRIAL_TIME_FULL;
  if (nanoseconds) {
    if (!trial->timed[of] || nanoseconds < trial->least[of])
      trial->least[of] = nanoseconds;
    trial->timed[of]++;
  }
  trial->ended++;
  /* A failed measurement leaves the comparison unfair, so it decides nothing. */
  if (gasan_trial_is_over(trial) && trial->timed[0] + trial->timed[1] == GASAN_TRIAL_ROUNDS)
    trial->given_up = trial->least[1] * (100 + GASAN_TRIAL_PERCENT) < trial->least[0] * 100;
}
