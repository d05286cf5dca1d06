/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

#include <greatest.h>

/* Runs so many launches of one shape; those of the variant take one time, the others another. Returns the last step. */
static enum gasan_trial_step run(struct gasan_trial *trial, int launches, uint64_t variant, uint64_t full) {
  enum gasan_trial_step step = GASAN_TRIAL_USE_VARIANT;
  for (int i = 0; i < launches; i++) {
    step = gasan_trial_next(trial, 7);
    if (step == GASAN_TRIAL_TIME_VARIANT)
      gasan_trial_end(trial, step, variant);
    if (step == GASAN_TRIAL_TIME_FULL)
      gasan_trial_end(trial, step, full);
  }
  return step;
}

TEST gives_a_slow_variant_up(void) {
  struct gasan_trial trial = {0};
  ASSERT_EQ(GASAN_TRIAL_USE_VARIANT, run(&trial, GASAN_TRIAL_BEFORE, 0, 0));
  ASSERT_EQ(GASAN_TRIAL_TIME_FULL, run(&trial, GASAN_TRIAL_ROUNDS, 2000, 1900));
  ASSERT(gasan_trial_is_over(&trial));
  ASSERT_EQ(GASAN_TRIAL_USE_FULL, run(&trial, 1, 0, 0));
  ASSERT_EQ(GASAN_TRIAL_USE_FULL, gasan_trial_next(&trial, 8)); /* of any shape */
  PASS();
}

TEST keeps_a_quick_variant(void) {
  static const uint64_t full[] = {1000, 1500, 971, 100000};
  for (unsigned i = 0; i < sizeof full / sizeof *full; i++) {
    struct gasan_trial trial = {0};
    run(&trial, GASAN_TRIAL_BEFORE + GASAN_TRIAL_ROUNDS, 1000, full[i]);
    ASSERT(gasan_trial_is_over(&trial));
    ASSERT_EQ(GASAN_TRIAL_USE_VARIANT, run(&trial, 1, 0, 0));
  }
  PASS();
}

/* Launches alternate between much and little work: both must get both, in periods of two and of four. */
TEST is_fair(void) {
  for (int period = 2; period <= 4; period += 2)
    for (int phase = 0; phase < period; phase++) {
      struct gasan_trial trial = {0};
      for (int i = 0; i < (int)(GASAN_TRIAL_BEFORE + GASAN_TRIAL_ROUNDS); i++) {
        enum gasan_trial_step step = gasan_trial_next(&trial, 1);
        uint64_t work = (i + phase) % period < period / 2 ? 1000 : 9000;
        if (step == GASAN_TRIAL_TIME_VARIANT || step == GASAN_TRIAL_TIME_FULL)
          gasan_trial_end(&trial, step, step == GASAN_TRIAL_TIME_FULL ? work + 100 : work);
      }
      ASSERT(gasan_trial_is_over(&trial));
      ASSERT_EQ_FMT(1000ull, (unsigned long long)trial.least[0], "%llu");
      ASSERT_EQ_FMT(1100ull, (unsigned long long)trial.least[1], "%llu");
      ASSERT_FALSE(trial.given_up);
    }
  PASS();
}

TEST times_one_shape_only(void) {
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE, 0, 0);
  for (int i = 0; i < 100; i++)
    ASSERT_EQ(GASAN_TRIAL_USE_VARIANT, gasan_trial_next(&trial, 8));
  ASSERT_EQ(GASAN_TRIAL_TIME_VARIANT, gasan_trial_next(&trial, 7));
  PASS();
}

TEST decides_nothing_without_all_times(void) {
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE, 0, 0);
  for (unsigned i = 0; i < GASAN_TRIAL_ROUNDS; i++) {
    enum gasan_trial_step step = gasan_trial_next(&trial, 7);
    gasan_trial_end(&trial, step, i == 3 ? 0 : step == GASAN_TRIAL_TIME_FULL ? 10 : 1000);
  }
  ASSERT(gasan_trial_is_over(&trial));
  ASSERT_EQ(GASAN_TRIAL_USE_VARIANT, gasan_trial_next(&trial, 7));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(gives_a_slow_variant_up);
  RUN_TEST(keeps_a_quick_variant);
  RUN_TEST(is_fair);
  RUN_TEST(times_one_shape_only);
  RUN_TEST(decides_nothing_without_all_times);
  GREATEST_MAIN_END();
}
