/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records of views, which are texture and surface objects: creation, destruction, and their memory. Kernels search the
 * table of base/views.h.
 *
 * CUDA reuses the numbers of destroyed objects, and a program may destroy an object while kernels that were launched
 * before still use it. So the table's entry for a number changes only when all launches made with the number's old
 * object are known to be complete. Until then the old entry stays or, if there is a new object, accesses through the
 * number are not checked. Any thread. One lock (`lock`). */
#ifndef GASAN_RT_VIEW_RECORDS_H
#define GASAN_RT_VIEW_RECORDS_H

#include <driver_types.h>

#include "base/views.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/report/report_view.h"

/* Record that the program has created or destroyed an object in the current context. Contexts without checks are not
 * recorded. resource NULL: it is not known, and accesses through the object are not checked. */
void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api);
void gasan_views_note_destroyed(bool is_surface, uint64_t object, const char *api);

/* Finds the object with this record number (struct gasan_view). False: the record is gone. */
bool gasan_view_find(uint32_t number, struct gasan_view *view);

/* Call when the array, or mipmapped array, is freed. */
void gasan_views_array_freed(const void *handle, struct gasan_pool_caller caller);

/* Writes the changes to the device's table. Call before each launch of a module with views; costs one load if nothing
 * has changed. */
void gasan_views_upload(struct gasan_rt_device *state);

#endif
