/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work that makes checked code, on all cores: threads of gasan's make code that the program has not loaded yet, and a
 * thread that needs code which another one is making waits for it. Any thread. One lock (`jobs_lock`), under which
 * nothing is called. */
#ifndef GASAN_RT_LIFT_JOBS_H
#define GASAN_RT_LIFT_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "gasan_rt/instrument/lift_tool.h"

/* Returns true if the caller must do the work for this path, and then call gasan_lift_jobs_leave. Returns false after
 * another thread has done the work meanwhile, with that thread's reason. Calls `waiting`, too, now and then. */
bool gasan_lift_jobs_enter(const char *path, char why[GASAN_WHY], void (*waiting)(long ms, void *context),
                           void *context);
/* `why`: the reason if the work has failed, else "". */
void gasan_lift_jobs_leave(const char *path, const char *why);

/* Calls `work` in a thread of gasan's. There are as many threads as cores, less one for the caller; they and their
 * child processes have a lower priority than the program. `bytes`: of the code. Returns false if there is no memory. */
bool gasan_lift_jobs_start(void (*work)(void *argument), void *argument, size_t bytes);

/* Says that work takes long, and how much is left. `bytes`: of the code that the program waits for. */
void gasan_lift_jobs_say(size_t bytes);

#endif
