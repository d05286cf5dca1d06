/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends the process: reports the last faults, prints the statistics, and reports leaks. One thread. */
#ifndef GASAN_RT_FINISH_H
#define GASAN_RT_FINISH_H

#include <stdbool.h>

/* Registers the exit handler. Called once, at the start. */
void gasan_finish_at_exit(void);

/* Returns true once the end has begun. Unregistering a module does not wait for its kernels any more. */
bool gasan_finish_began(void);

#endif
