/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of the process: the last faults, and the statistics. */
#ifndef GASAN_RT_FINISH_H
#define GASAN_RT_FINISH_H

#include <stdbool.h>

/* Registers what happens at exit: once, from the start. */
void gasan_finish_at_exit(void);

/* Has the end begun? What is unregistered from then on is not worth waiting for. */
bool gasan_finish_began(void);

#endif
