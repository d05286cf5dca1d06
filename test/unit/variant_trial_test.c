/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/variant_trial.h"

#include <greatest.h>

/* Runs so many launches of one shape, which take the times of the choices. Returns the last step. */
static struct gasan_trial_step run(struct gasan_trial *trial, unsigned launches, bool fitted,
                                   const uint64_t times[GASAN_TRIAL_CHOICES]) {
  struct gasan_trial_step step = {GASAN_TRIAL_VARIANT, false};
  for (unsigned i = 0; i < launches; i++) {
    step = gasan_trial_next(trial, 7, true, fitted);
    if (step.timed)
      gasan_trial_end(trial, step.choice, times[step.choice]);
  }
  return step;
}

/* Launches of the first part. */
static unsigned first_part(bool fitted) {
  return GASAN_TRIAL_FIRST + 1 + fitted;
}

TEST chooses_the_quickest(void) {
  static const struct {
    bool fitted;
    uint64_t times[GASAN_TRIAL_CHOICES];
    unsigned rounds; /* choices of the second part, with the variant; 0: there is none */
    enum gasan_trial_choice best;
  } cases[] = {
      {false, {200000, 190000, 1}, 2, GASAN_TRIAL_FULL},
      {true, {200000, 190000, 210000}, 3, GASAN_TRIAL_FULL},
      {true, {200000, 190000, 180000}, 3, GASAN_TRIAL_FITTED},
      {true, {200000, 190000, 300000}, 2, GASAN_TRIAL_FULL},
      {true, {200000, 250000, 190000}, 2, GASAN_TRIAL_FITTED},
      {true, {200000, 250000, 195000}, 2, GASAN_TRIAL_VARIANT},
      {true, {200000, 220001, 220001}, 0, GASAN_TRIAL_VARIANT}, /* both are given up */
      {true, {200000, 220000, 220000}, 3, GASAN_TRIAL_VARIANT},
      {false, {100000, 100000, 1}, 2, GASAN_TRIAL_VARIANT},
      {false, {100000, 500000, 1}, 0, GASAN_TRIAL_VARIANT},
      {false, {110000, 106900, 1}, 2, GASAN_TRIAL_VARIANT},
      {true, {1000, 100000, 1500}, 2, GASAN_TRIAL_VARIANT},
      {false, {6000, 3001, 1}, 2, GASAN_TRIAL_VARIANT}, /* of a few microseconds, the host's time is the most */
      {false, {3001, 6000, 1}, 2, GASAN_TRIAL_VARIANT},
      {false, {6002, 3001, 1}, 2, GASAN_TRIAL_FULL},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct gasan_trial trial = {0};
    const bool fitted = cases[i].fitted;
    const struct gasan_trial_step before = run(&trial, GASAN_TRIAL_BEFORE, fitted, cases[i].times);
    ASSERT_EQ(GASAN_TRIAL_VARIANT, before.choice);
    ASSERT_FALSE(before.timed);
    ASSERT(run(&trial, first_part(fitted), fitted, cases[i].times).timed);
    ASSERT_EQ_FMT(cases[i].rounds == 0, gasan_trial_is_over(&trial), "%d");
    if (cases[i].rounds)
      ASSERT(run(&trial, GASAN_TRIAL_ROUNDS * cases[i].rounds, fitted, cases[i].times).timed);
    ASSERT(gasan_trial_is_over(&trial));
    ASSERT_EQ(cases[i].best, run(&trial, 1, fitted, cases[i].times).choice);
    ASSERT_EQ(cases[i].best, gasan_trial_next(&trial, 8, true, fitted).choice); /* of any shape */
  }
  PASS();
}

/* Launches alternate between much and little work, in periods of two and of four: all choices must get both, and none
 * may be given up for its work. */
TEST is_fair(void) {
  for (int fitted = 0; fitted <= 1; fitted++)
    for (unsigned period = 2; period <= 4; period += 2)
      for (unsigned phase = 0; phase < period; phase++) {
        struct gasan_trial trial = {0};
        unsigned timed = 0;
        for (unsigned i = 0; i < GASAN_TRIAL_BEFORE + GASAN_TRIAL_MOST; i++) {
          const struct gasan_trial_step step = gasan_trial_next(&trial, 1, true, fitted);
          const uint64_t work = (i + phase) % period < period / 2 ? 100000 : 900000;
          if (step.timed)
            gasan_trial_end(&trial, step.choice, work + 100u * step.choice);
          timed += step.timed;
        }
        ASSERT(gasan_trial_is_over(&trial));
        ASSERT_EQ_FMT(first_part(fitted) + GASAN_TRIAL_ROUNDS * (fitted ? 3 : 2), timed, "%u");
        for (unsigned choice = 0; choice < GASAN_TRIAL_CHOICES - !fitted; choice++)
          ASSERT_EQ_FMT(100000ull + 100 * choice, (unsigned long long)trial.least[choice], "%llu");
        ASSERT_EQ(GASAN_TRIAL_VARIANT, trial.best);
      }
  PASS();
}

/* A program launches many kernels before the first one ends. No more launches run with all checks, until it is known
 * that they are worth it. */
TEST waits_for_the_first_part(void) {
  struct gasan_trial trial = {0};
  unsigned launched[GASAN_TRIAL_CHOICES] = {0};
  for (int i = 0; i < 1000; i++)
    launched[gasan_trial_next(&trial, 7, true, false).choice]++;
  ASSERT_EQ(999, launched[GASAN_TRIAL_VARIANT]);
  ASSERT_EQ(1, launched[GASAN_TRIAL_FULL]);
  gasan_trial_end(&trial, GASAN_TRIAL_FULL, 90000);
  for (unsigned i = 0; i < GASAN_TRIAL_FIRST; i++) {
    ASSERT_FALSE(gasan_trial_next(&trial, 7, true, false).timed);
    gasan_trial_end(&trial, GASAN_TRIAL_VARIANT, 100000);
  }
  ASSERT(gasan_trial_next(&trial, 7, true, false).timed);
  PASS();
}

TEST times_one_shape_only(void) {
  static const uint64_t none[GASAN_TRIAL_CHOICES];
  struct gasan_trial trial = {0};
  run(&trial, GASAN_TRIAL_BEFORE, false, none);
  for (int i = 0; i < 100; i++)
    ASSERT_FALSE(gasan_trial_next(&trial, 8, true, false).timed);
  ASSERT(gasan_trial_next(&trial, 7, true, false).timed);
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

/* The kernel with all checks is known to be slower. */
TEST tries_only_what_it_may(void) {
  static const uint64_t times[GASAN_TRIAL_CHOICES] = {100000, 10000, 90000};
  struct gasan_trial trial = {0};
  for (int i = 0; i < 100; i++)
    ASSERT_FALSE(gasan_trial_next(&trial, 7, false, false).timed);
  for (unsigned i = 0; i < GASAN_TRIAL_MOST; i++) {
    const struct gasan_trial_step step = gasan_trial_next(&trial, 7, false, true);
    ASSERT(step.choice != GASAN_TRIAL_FULL);
    if (step.timed)
      gasan_trial_end(&trial, step.choice, times[step.choice]);
  }
  ASSERT(gasan_trial_is_over(&trial));
  ASSERT_EQ(GASAN_TRIAL_FITTED, trial.best);
  PASS();
}

TEST decides_nothing_without_all_times(void) {
  /* of the first part: the variant, the kernel with all checks; of the second part */
  static const unsigned unknown[] = {3, GASAN_TRIAL_FIRST, GASAN_TRIAL_FIRST + 3};
  for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    struct gasan_trial trial = {0};
    unsigned timed = 0;
    for (unsigned j = 0; j < GASAN_TRIAL_BEFORE + GASAN_TRIAL_MOST; j++) {
      const struct gasan_trial_step step = gasan_trial_next(&trial, 7, true, false);
      if (step.timed)
        gasan_trial_end(&trial, step.choice,
                        timed++ == unknown[i]             ? 0
                        : step.choice == GASAN_TRIAL_FULL ? 50000
                                                          : 100000);
    }
    ASSERT(gasan_trial_is_over(&trial));
    ASSERT_EQ(GASAN_TRIAL_VARIANT, gasan_trial_next(&trial, 7, true, false).choice);
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(chooses_the_quickest);
  RUN_TEST(is_fair);
  RUN_TEST(waits_for_the_first_part);
  RUN_TEST(times_one_shape_only);
  RUN_TEST(keeps_its_choices);
  RUN_TEST(tries_only_what_it_may);
  RUN_TEST(decides_nothing_without_all_times);
  GREATEST_MAIN_END();
}
