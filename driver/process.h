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

/* Replaces this process by `command` and does not return. With -###, prints the command and returns 0. */
int gasan_process_replace(const struct gasan_strings *command);

/* Runs the commands, at most two at a time, and waits for them. Returns the exit status of the first one, in the given
 * order, that failed (128 + signal if a signal ended it), else 0. Prints their output in the given order. */
int gasan_process_run(const struct gasan_strings *commands, size_t count);
int gasan_process_run_one(const struct gasan_strings *command);

/* Starts an attempt. Until it ends, diagnostics are buffered (unless with -v), and programs write no core dumps.
 * SIGXCPU ends a program that uses more than GASAN_ATTEMPT_FACTOR times the CPU time of the longest program before it,
 * plus one minute. CPU time, unlike wall-clock time, does not depend on the machine's load. The first programs, which
 * have no predecessor, must limit themselves. */
#define GASAN_ATTEMPT_FACTOR "10"
void gasan_process_start_attempt(void);
/* Ends the attempt, and prints or drops the buffered diagnostics. */
void gasan_process_end_attempt(bool print);

/* Runs a command, also with -###. Prints nothing. Returns the exit status; sets *output and *errors to the command's
 * output. */
int gasan_process_ask(const struct gasan_strings *command, char **output, char **errors);

#endif
