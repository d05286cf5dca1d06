/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines on the report channel that are no reports: warnings, and the end of a process that cannot go on. Any thread.
 * Takes the report lock, which a thread may take again. */
#ifndef GASAN_RT_WARN_H
#define GASAN_RT_WARN_H

/* Prints "==pid==gasan: ...". */
void gasan_rt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The environment makes it impossible to go on (a device that is not there, an option out of range): prints
 * "==pid==gasan: ERROR: ..." and ends the process with exitcode, or 1 if that is 0. */
__attribute__((noreturn, format(printf, 1, 2))) void gasan_rt_fatal(const char *format, ...);

#endif
