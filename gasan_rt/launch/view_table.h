/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the device's table of texture and surface objects (base/views.h), and keeps the host's copy. The caller must
 * have the lock of view_records.c. */
#ifndef GASAN_RT_VIEW_TABLE_H
#define GASAN_RT_VIEW_TABLE_H

#include "base/views.h"
#include "gasan_rt/core/runtime.h"

/* Creates an empty table and stores its address in state->params. Must be called before the first launch of a module
 * with GASAN_FLAG_VIEWS; later calls do nothing. On failure, texture and surface objects are not checked, and a warning
 * says so. */
void gasan_view_table_open(struct gasan_rt_device *state);

/* Finds the key's slot as kernels do. False: there is none. */
bool gasan_view_table_find(const struct gasan_rt_device *state, uint64_t key, struct gasan_view_slot *slot);

/* Writes the slot for kernels that are launched from now on. Returns false if the device refuses; then the old slot
 * stays. */
bool gasan_view_table_write(struct gasan_rt_device *state, const struct gasan_view_slot *slot);

#endif
