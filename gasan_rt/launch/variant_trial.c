/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

static unsigned launches_of(const struct gasan_trial *trial) {
  return trial->fitted ? GASAN_TRIAL_MOST : GASAN_TRIAL_MOST - GASAN_TRIAL_ROUNDS;
}

bool gasan_trial_is_over(const struct gasan_trial *trial) {
  return trial->begun && trial->ended == launches_of(trial);
}

/* Returns the choice for the next timed launch. Whatever pattern of four the program's launches repeat, each choice
 * runs once at each position of the pattern. */
static enum gasan_trial_choice choice_at(const struct gasan_trial *trial) {
  enum { V = GASAN_TRIAL_VARIANT, A = GASAN_TRIAL_FULL, F = GASAN_TRIAL_FITTED };
  static const unsigned char of_two[] = {V, A, A, V, A, V, V, A}, of_three[] = {V, A, F, F, A, V, A, V, F, F, V, A};
  return trial->fitted ? of_three[trial->begun] : of_two[trial->begun];
}

struct gasan_trial_step gasan_trial_next(struct gasan_trial *trial, uint64_t shape, bool fitted) {
  const struct gasan_trial_step chosen = {trial->best, false};
  if (!trial->seen)
    trial->shape = shape;
  if (!trial->begun)
    trial->fitted = fitted;
  if (shape != trial->shape || trial->begun == launches_of(trial))
    return chosen;
  if (trial->seen < GASAN_TRIAL_BEFORE) {
    trial->seen++;
    return chosen;
  }
  const struct gasan_trial_step step = {choice_at(trial), true};
  trial->begun++;
  return step;
}

static bool is_clearly_less(uint64_t time, uint64_t other) {
  return time * (100 + GASAN_TRIAL_PERCENT) < other * 100 && time + GASAN_TRIAL_NOISE < other;
}

static enum gasan_trial_choice best_of(const struct gasan_trial *trial) {
  enum gasan_trial_choice best = GASAN_TRIAL_VARIANT;
  for (enum gasan_trial_choice at = GASAN_TRIAL_FULL; at < GASAN_TRIAL_CHOICES; at++)
    if (trial->timed[at] && is_clearly_less(trial->least[at], trial->least[GASAN_TRIAL_VARIANT]) &&
        trial->least[at] < trial->least[best])
      best = at;
  return best;
}

void gasan_trial_end(struct gasan_trial *trial, enum gasan_trial_choice choice, uint64_t nanoseconds) {
  if (nanoseconds) {
    if (!trial->timed[choice] || nanoseconds < trial->least[choice])
      trial->least[choice] = nanoseconds;
    trial->timed[choice]++;
  }
  trial->ended++;
  unsigned known = 0;
  for (int i = 0; i < GASAN_TRIAL_CHOICES; i++)
    known += trial->timed[i];
  /* If a measurement failed, the comparison is unfair, so the trial has no result. */
  if (gasan_trial_is_over(trial) && known == launches_of(trial))
    trial->best = best_of(trial);
}
