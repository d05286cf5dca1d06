/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs other programs: clang, ptxas, fatbinary, ld.lld. Programs are named by absolute path, never searched on PATH.
 *
 * SIGINT, SIGTERM and SIGHUP end the running programs, remove temporary files and then end the driver by the same
 * signal. */
#ifndef GASAN_DRIVER_PROCESS_H
#define GASAN_DRIVER_PROCESS_H

#include "driver/strings.h"

enum gasan_process_mode {
  GASAN_PROCESS_RUN,
  GASAN_PROCESS_VERBOSE,    /* -v: print each command, then run it */
  GASAN_PROCESS_ONLY_PRINT, /* -###: print as clang does, run nothing */
};

void gasan_process_start(enum gasan_process_mode mode);
bool gasan_process_runs(void);

/* Becomes `command` (does not return), or prints it if nothing is to run and returns 0. */
int gasan_process_replace(const struct gasan_strings *command);

/* Runs the commands, at most two at a time, and waits for them. The result is the exit status of the first one, in the
 * order given, that failed (128 + signal if one ended it), else 0; what they print appears in that order. */
int gasan_process_run(const struct gasan_strings *commands, size_t count);
int gasan_process_run_one(const struct gasan_strings *command);

/* Until the attempt ends, diagnostics are kept back (but under -v), programs leave no core dumps, and each may take as
 * much CPU time as GASAN_ATTEMPT_FACTOR times the longest before it, and a minute: then SIGXCPU ends it. CPU time,
 * unlike the clock's, does not depend on what else the machine does. The first programs, which there is nothing to
 * compare with, have to limit themselves. */
#define GASAN_ATTEMPT_FACTOR "10"
void gasan_process_start_attempt(void);
/* Prints what was kept back, or forgets it. */
void gasan_process_end_attempt(bool print);

/* As gasan_process_run_one, for questions: prints nothing; what the program wrote is returned. Runs under -### too. */
int gasan_process_ask(const struct gasan_strings *command, char **output, char **errors);

#endif
