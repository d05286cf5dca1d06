/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints messages on the report channel that are not reports: warnings, and fatal errors of the environment. Any
 * thread. Takes the report lock, which is recursive. */
#ifndef GASAN_RT_WARN_H
#define GASAN_RT_WARN_H

/* Prints "==pid==gasan: ...". */
void gasan_rt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "==pid==gasan: ERROR: ..." and ends the process with exitcode, or with 1 if that is 0. For errors of the
 * environment: a missing device, an option out of range. */
__attribute__((noreturn, format(printf, 1, 2))) void gasan_rt_fatal(const char *format, ...);

#endif
