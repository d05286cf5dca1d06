/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides whether a kernel's variant with fewer checks is worth launching. The variant may need so many registers that
 * fewer blocks run at once. It may then be slower than the kernel with all checks, or than its own form with fewer
 * registers. A trial times launches of one shape, in two parts:
 *
 * 1. Four launches of the variant, and one of each other choice. A choice is given up if it takes more than
 *    GASAN_TRIAL_HOPELESS percent longer than the slowest of the four. So even if every second or every fourth launch
 *    has more work, no choice is given up for the work that its launch had. All times must be known before the second
 *    part.
 * 2. GASAN_TRIAL_ROUNDS launches of each choice that is left, in an order that is fair in the same sense. If only the
 *    variant is left, there is no second part.
 *
 * The least time of each choice counts. The variant is kept unless another choice is faster by more than
 * GASAN_TRIAL_PERCENT and GASAN_TRIAL_NOISE.
 *
 * A trial has no lock and reads no clock: the caller provides both. */
#ifndef GASAN_RT_VARIANT_TRIAL_H
#define GASAN_RT_VARIANT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define GASAN_TRIAL_BEFORE 12u   /* launches of the variant before the trial; with fewer there is no trial */
#define GASAN_TRIAL_FIRST 4u     /* timed launches of the variant in the first part */
#define GASAN_TRIAL_ROUNDS 4u    /* timed launches of each choice in the second part */
#define GASAN_TRIAL_HOPELESS 10u /* percent */
#define GASAN_TRIAL_PERCENT 3u   /* smaller differences are noise */
/* Nanoseconds. Events also measure the host's time between the calls, which decides for the shortest kernels. */
#define GASAN_TRIAL_NOISE 3000u

enum gasan_trial_choice {
  GASAN_TRIAL_VARIANT,
  GASAN_TRIAL_FULL,   /* the kernel with all checks */
  GASAN_TRIAL_FITTED, /* the variant's form with fewer registers */
  GASAN_TRIAL_CHOICES,
};

/* The most launches that a trial times. */
#define GASAN_TRIAL_MOST (GASAN_TRIAL_FIRST + GASAN_TRIAL_CHOICES - 1 + GASAN_TRIAL_ROUNDS * GASAN_TRIAL_CHOICES)

struct gasan_trial_step {
  enum gasan_trial_choice choice; /* what to launch */
  bool timed;
};

/* The state of a trial, zeroed at first. */
struct gasan_trial {
  uint64_t shape;                      /* of the launches that are timed */
  uint64_t least[GASAN_TRIAL_CHOICES]; /* nanoseconds; 0: not known yet */
  uint64_t slowest;                    /* nanoseconds; of the variant's launches in the first part */
  uint8_t seen, begun, ended;          /* launches */
  uint8_t wanted;                      /* timed launches of the first part, later of both */
  bool tried[GASAN_TRIAL_CHOICES];     /* is in the part that runs */
  bool second_part;
  bool failed; /* a launch's time is not known */
  enum gasan_trial_choice best;
};

/* Returns what to launch next. `shape`: a hash of the launch's shape and device. `full`: the kernel with all checks is
 * worth a trial. `fitted`: the variant has a form with fewer registers. Their values at the first timed launch count
 * for the whole trial; a trial begins only if there is a choice. For each step that is timed, gasan_trial_end must be
 * called once; these calls may come in any order and at any time. */
struct gasan_trial_step gasan_trial_next(struct gasan_trial *trial, uint64_t shape, bool full, bool fitted);

/* Adds the time of a launch. 0: the time is not known; then the comparison is unfair, so the variant is kept. */
void gasan_trial_end(struct gasan_trial *trial, enum gasan_trial_choice choice, uint64_t nanoseconds);

/* Returns true if all timed launches have ended. */
bool gasan_trial_is_over(const struct gasan_trial *trial);

#endif
