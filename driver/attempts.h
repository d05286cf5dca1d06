/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes device code with the variants of its kernels or, where the compiler or the assembler breaks down on it, with
 * fewer. A variant only saves time: whatever happens to it, the kernel with all checks must come out. */
#ifndef GASAN_DRIVER_ATTEMPTS_H
#define GASAN_DRIVER_ATTEMPTS_H

#include "driver/toolchain.h"

/* Runs a build's steps; returns the exit status of the first one that failed, or 0. Is called again if that was no
 * plain error. */
typedef int gasan_attempts_steps(const struct gasan_toolchain *toolchain, void *context);

/* Calls `steps` with all variants that the options ask for, then without those for launches that are proven in part,
 * then without any, until the result is 0, or 1: clang's status after an error in the source. Returns the last call's
 * result, and prints only the last call's diagnostics, but under -v, where a warning says which variants are dropped.
 * `name` is the source or output that it speaks of. */
int gasan_attempts_run(const struct gasan_toolchain *toolchain, const char *name, gasan_attempts_steps *steps,
                       void *context);

#endif
