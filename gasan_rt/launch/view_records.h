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

/* Records that the program has created an object in the current context. Contexts without checks are not recorded.
 * resource NULL: it is not known, and accesses through the object are not checked. */
void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api);

/* Returns the record number of the latest object. Later objects have greater numbers. Call before CUDA destroys an
 * object or frees an array, and pass the number to the functions below: as soon as CUDA has done so, another thread may
 * record a new object with the same number, or on an array with the same handle. */
uint32_t gasan_views_latest(void);

/* Records that the program has destroyed an object in the current context. Ignores objects recorded after `until`. */
void gasan_views_note_destroyed(bool is_surface, uint64_t object, uint32_t until, const char *api);

/* Finds the object with this record number (struct gasan_view). False: the record is gone. */
bool gasan_view_find(uint32_t number, struct gasan_view *view);

/* Records that the array, or mipmapped array, is freed. Ignores objects recorded after `until`. */
void gasan_views_array_freed(const void *handle, uint32_t until, struct gasan_pool_caller caller);

/* Writes the changes to the device's table. Call before each launch of a module with views; costs one load if nothing
 * has changed. */
void gasan_views_upload(struct gasan_rt_device *state);

#endif
