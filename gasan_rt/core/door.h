/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The front door at the driver API: whether libgasan_preload.so is in the process, so that gasan sees all calls of the
 * driver API, also of code that is not linked to gasan. Any thread; no lock. */
#ifndef GASAN_RT_DOOR_H
#define GASAN_RT_DOOR_H

#include <stdbool.h>

bool gasan_door_is_open(void);
/* Returns true if calls of the driver API are checked: the door is open, and there is a GPU. Starts the runtime. False
 * in a forked child. */
bool gasan_door_serves(void);

/* Around each call of the runtime API by code that is linked to gasan, while the door is open: libcudart's calls of the
 * driver API inside of it belong to gasan's own work. gasan_door_enter returns the value for gasan_door_leave. */
bool gasan_door_enter(void);
void gasan_door_leave(const bool *entered);

/* Returns true for a call of the driver API inside of such a call: it goes to the driver at once. Not for
 * cuGetProcAddress, whose answers libcudart keeps for the calls of others. */
bool gasan_door_passes(const char *symbol);

#endif
