/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device's table of texture and surface objects (base/views.h), and the host's copy of it. The caller holds a lock
 * of its own. */
#ifndef GASAN_RT_VIEW_TABLE_H
#define GASAN_RT_VIEW_TABLE_H

#include "base/views.h"
#include "gasan_rt/core/runtime.h"

/* Makes an empty table and names it in state->params. Call before the first launch of a module with GASAN_FLAG_VIEWS;
 * later calls do nothing. On failure such objects are not checked, and a line says so. */
void gasan_view_table_open(struct gasan_rt_device *state);

/* What kernels find for the key; false: nothing. */
bool gasan_view_table_find(const struct gasan_rt_device *state, uint64_t key, struct gasan_view_slot *slot);

/* Kernels that are launched from now on find this. False: the device refuses, and what was stays. */
bool gasan_view_table_write(struct gasan_rt_device *state, const struct gasan_view_slot *slot);

#endif
