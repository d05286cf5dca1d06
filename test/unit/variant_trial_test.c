/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

#include <greatest.h>

/* Runs so many launches of one shape, which take the times of the choices. Returns the last step. */
static struct gasan_trial_step run(struct gasan_trial *trial, unsigned launches, bool fitted,
                                   const uint64_t times[GASAN_TRIAL_CHOICES]) {
  struct gasan_trial_step step = {GASAN_TRIAL_VARIANT, false};
  for (unsigned i = 0; i < launches; i++) {
    step = gasan_trial_next(trial, 7, fitted);
    if (step.timed)
      gasan_trial_end(trial, step.choice, times[step.choice]);
  }
  return step;
}

static unsigned timed_launches(bool fitted) {
  return fitted ? GASAN_TRIAL_MOST : GASAN_TRIAL_MOST - GASAN_TRIAL_ROUNDS;
}

TEST chooses_the_quickest(void) {
  static const struct {
    bool fitted;
    uint64_t times[GASAN_TRIAL_CHOICES];
    enum gasan_trial_choice best;
  } cases[] = {
      {false, {200000, 190000, 1}, GASAN_TRIAL_FULL},
      {true, {200000, 190000, 300000}, GASAN_TRIAL_FULL},
      {true, {200000, 190000, 180000}, GASAN_TRIAL_FITTED},
      {true, {200000, 250000, 190000}, GASAN_TRIAL_FITTED},
      {true, {200000, 250000, 195000}, GASAN_TRIAL_VARIANT},
      {false, {100000, 100000, 1}, GASAN_TRIAL_VARIANT},
      {false, {110000, 106900, 1}, GASAN_TRIAL_VARIANT},
      {true, {1000, 100000, 1500}, GASAN_TRIAL_VARIANT},
      {false, {6000, 3001, 1}, GASAN_TRIAL_VARIANT}, /* of a few microseconds, the host's time is the most */
      {false, {6002, 3001, 1}, GASAN_TRIAL_FULL},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gasan_trial trial = {0};
    const struct gasan_trial_step before = run(&trial, GASAN_TRIAL_BEFORE, cases[i].fitted, cases[i].times);
    ASSERT_EQ(GASAN_TRIAL_VARIANT, before.choice);
    ASSERT_FALSE(before.timed);
    ASSERT(run(&trial, timed_launches(cases[i].fitted), cases[i].fitted, cases[i].times).timed);
    ASSERT(gasan_trial_is_over(&trial));
    ASSERT_EQ(cases[i].best, run(&trial, 1, cases[i].fitted, cases[i].times).choice);
    ASSERT_EQ(cases[i].best, gasan_trial_next(&trial, 8, cases[i].fitted).choice); /* of any shape */
  }
  PASS();
}

/* Launches alternate between much and little work: all choices must get both, in periods of two and of four. */
TEST is_fair(void) {
  for (int fitted = 0; fitted <= 1; fitted++)
    for (unsigned period = 2; period <= 4; period += 2)
      for (unsigned phase = 0; phase < period; phase++) {
        struct gasan_trial trial = {0};
        for (unsigned i = 0; i < GASAN_TRIAL_BEFORE + timed_launches(fitted); i++) {
          const struct gasan_trial_step step = gasan_trial_next(&trial, 1, fitted);
          const uint64_t work = (i + phase) % period < period / 2 ? 1000 : 9000;
          if (step.timed)
            gasan_trial_end(&trial, step.choice, work + 100u * step.choice);
        }
        ASSERT(gasan_trial_is_over(&trial));
        for (unsigned choice = 0; choice < GASAN_TRIAL_CHOICES - !fitted; choice++)
          ASSERT_EQ_FMT(1000ull + 100 * choice, (unsigned long long)trial.least[choice], "%llu");
        ASSERT_EQ(GASAN_TRIAL_VARIANT, trial.best);
      }
  PASS();
}

TEST times_one_shape_only(void) {
  static const uint64_t none[GASAN_TRIAL_CHOICES];
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE, false, none);
  for (int i = 0; i < 100; i++)
    ASSERT_FALSE(gasan_trial_next(&trial, 8, false).timed);
  ASSERT(gasan_trial_next(&trial, 7, false).timed);
  PASS();
}

/* Some launches of the kernel have larger blocks, which the variant fits only with fewer registers. */
TEST keeps_its_choices(void) {
  static const uint64_t times[GASAN_TRIAL_CHOICES] = {100000, 100000, 90000};
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE + 1, true, times);
  run(&trial, GASAN_TRIAL_MOST - 1, false, times);
  ASSERT(gasan_trial_is_over(&trial));
  ASSERT_EQ(GASAN_TRIAL_FITTED, trial.best);
  PASS();
}

TEST decides_nothing_without_all_times(void) {
  static const uint64_t none[GASAN_TRIAL_CHOICES];
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE, false, none);
  for (unsigned i = 0; i < timed_launches(false); i++) {
    const struct gasan_trial_step step = gasan_trial_next(&trial, 7, false);
    gasan_trial_end(&trial, step.choice, i == 3 ? 0 : step.choice == GASAN_TRIAL_FULL ? 10 : 100000);
  }
  ASSERT(gasan_trial_is_over(&trial));
  ASSERT_EQ(GASAN_TRIAL_VARIANT, gasan_trial_next(&trial, 7, false).choice);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(chooses_the_quickest);
  RUN_TEST(is_fair);
  RUN_TEST(times_one_shape_only);
  RUN_TEST(keeps_its_choices);
  RUN_TEST(decides_nothing_without_all_times);
  GREATEST_MAIN_END();
}
