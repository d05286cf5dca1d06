/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiles device code with the variants of its kernels, and again with fewer of them if the compiler or the
 * assembler crashes. A variant only saves time: the kernel with all checks must be compiled in any case. */
#ifndef GASAN_DRIVER_ATTEMPTS_H
#define GASAN_DRIVER_ATTEMPTS_H

#include "driver/toolchain.h"

/* Runs a build's steps. Returns the exit status of the first step that failed, or 0. It is called again after a failure
 * that is not a plain error (attempts.c). */
typedef int gasan_attempts_steps(const struct gasan_toolchain *toolchain, void *context);

/* Calls `steps` with all variants that the options request, then without the variants for partially proven launches,
 * then without any. Stops when the result is 0, or 1, which is clang's status after an error in the source. Returns the
 * last call's result, and prints only the last call's diagnostics. With -v, prints all diagnostics, and a warning that
 * names the dropped variants. `name` is the source or output that the warning names. */
int gasan_attempts_run(const struct gasan_toolchain *toolchain, const char *name, gasan_attempts_steps *steps,
                       void *context);

#endif
