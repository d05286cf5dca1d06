/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the table of nvcc's --time: one row for each program that the driver runs, with commas between the columns. */
#ifndef GASAN_DRIVER_PHASE_TIMES_H
#define GASAN_DRIVER_PHASE_TIMES_H

#include "driver/strings.h"

#include <sys/resource.h>
#include <time.h>

/* From now on, appends rows to the file. "-" and "<stdout>": standard output. Writes the names of the columns first if
 * the file is empty. Ends the process with a message if the file cannot be written. */
void gasan_phase_times_open(const char *path);
bool gasan_phase_times_are_wanted(void);

/* Writes the row of a program that has ended. `start`: of CLOCK_MONOTONIC. Does nothing before gasan_phase_times_open.
 */
void gasan_phase_times_add(const struct gasan_strings *command, const struct timespec *start,
                           const struct rusage *usage);

#endif
