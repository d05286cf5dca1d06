/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

bool gasan_trial_is_over(const struct gasan_trial *trial) {
  return trial->wanted && trial->ended == trial->wanted;
}

static bool is_clearly_less(uint64_t time, uint64_t other, uint64_t percent) {
  return time * (100 + percent) < other * 100 && time + GASAN_TRIAL_NOISE < other;
}

static void begin_first_part(struct gasan_trial *trial, bool full, bool fitted) {
  trial->tried[GASAN_TRIAL_VARIANT] = true;
  trial->tried[GASAN_TRIAL_FULL] = full;
  trial->tried[GASAN_TRIAL_FITTED] = fitted;
  trial->wanted = GASAN_TRIAL_FIRST + full + fitted;
}

static void end_first_part(struct gasan_trial *trial) {
  unsigned left = 0;
  for (enum gasan_trial_choice at = GASAN_TRIAL_FULL; at < GASAN_TRIAL_CHOICES; at++) {
    trial->tried[at] &= !is_clearly_less(trial->slowest, trial->least[at], GASAN_TRIAL_HOPELESS);
    left += trial->tried[at];
  }
  if (!left)
    return;
  trial->second_part = true;
  trial->wanted += GASAN_TRIAL_ROUNDS * (1 + left);
}

static enum gasan_trial_choice first_part_choice(const struct gasan_trial *trial) {
  if (trial->begun < GASAN_TRIAL_FIRST)
    return GASAN_TRIAL_VARIANT;
  return trial->begun == GASAN_TRIAL_FIRST && trial->tried[GASAN_TRIAL_FULL] ? GASAN_TRIAL_FULL : GASAN_TRIAL_FITTED;
}

/* Whatever pattern of four the program's launches repeat, each choice runs once at each position of the pattern. */
static enum gasan_trial_choice second_part_choice(const struct gasan_trial *trial) {
  enum { V = GASAN_TRIAL_VARIANT, A = GASAN_TRIAL_FULL, F = GASAN_TRIAL_FITTED };
  static const unsigned char of_full[] = {V, A, A, V, A, V, V, A}, of_fitted[] = {V, F, F, V, F, V, V, F},
                             of_three[] = {V, A, F, F, A, V, A, V, F, F, V, A};
  const unsigned char *order = !trial->tried[F] ? of_full : trial->tried[A] ? of_three : of_fitted;
  const unsigned choices = 1u + trial->tried[A] + trial->tried[F];
  return order[trial->begun - (trial->wanted - GASAN_TRIAL_ROUNDS * choices)];
}

struct gasan_trial_step gasan_trial_next(struct gasan_trial *trial, uint64_t shape, bool full, bool fitted) {
  const struct gasan_trial_step chosen = {trial->best, false};
  if (!trial->seen)
    trial->shape = shape;
  if (shape != trial->shape)
    return chosen;
  if (trial->seen < GASAN_TRIAL_BEFORE) {
    trial->seen++;
    return chosen;
  }
  if (!trial->wanted && (full || fitted))
    begin_first_part(trial, full, fitted);
  if (trial->begun == trial->wanted)
    return chosen;
  const struct gasan_trial_step step = {trial->second_part ? second_part_choice(trial) : first_part_choice(trial),
                                        true};
  trial->begun++;
  return step;
}

static enum gasan_trial_choice best_of(const struct gasan_trial *trial) {
  enum gasan_trial_choice best = GASAN_TRIAL_VARIANT;
  for (enum gasan_trial_choice at = GASAN_TRIAL_FULL; at < GASAN_TRIAL_CHOICES; at++)
    if (trial->tried[at] && is_clearly_less(trial->least[at], trial->least[GASAN_TRIAL_VARIANT], GASAN_TRIAL_PERCENT) &&
        trial->least[at] < trial->least[best])
      best = at;
  return best;
}

void gasan_trial_end(struct gasan_trial *trial, enum gasan_trial_choice choice, uint64_t nanoseconds) {
  trial->failed |= !nanoseconds;
  if (!trial->least[choice] || nanoseconds < trial->least[choice])
    trial->least[choice] = nanoseconds;
  if (!trial->second_part && choice == GASAN_TRIAL_VARIANT && nanoseconds > trial->slowest)
    trial->slowest = nanoseconds;
  trial->ended++;
  if (trial->ended != trial->wanted || trial->failed)
    return;
  if (trial->second_part)
    trial->best = best_of(trial);
  else
    end_first_part(trial);
}
