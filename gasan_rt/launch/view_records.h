/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records views, which are texture and surface objects: their creation, their destruction, and their memory. Kernels
 * search the table of base/views.h.
 *
 * CUDA reuses the numbers of destroyed objects, and a program may destroy an object while earlier launches still use
 * it. So the table's entry for a number changes only when all launches that may use the number's old object are known
 * to be complete. Until then, the old entry stays, or, if there is a new object, accesses through the number are not
 * checked. Any thread. One lock (`lock`). */
#ifndef GASAN_RT_VIEW_RECORDS_H
#define GASAN_RT_VIEW_RECORDS_H

#include <driver_types.h>

#include "base/views.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/report/report_view.h"

/* Records that the program has created an object in the current context. Does nothing in contexts without checks.
 * resource NULL: the resource is not known, so accesses through the object are not checked. */
void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api);

/* Returns the record number of the latest object. Later objects have greater numbers. Must be called before CUDA
 * destroys an object or frees an array; the number is the argument `until` of the functions below. As soon as CUDA has
 * done so, another thread may record a new object with the same number, or on an array with the same handle. */
uint32_t gasan_views_latest(void);

/* Records that the program has destroyed an object in the current context. Ignores objects recorded after `until`. */
void gasan_views_note_destroyed(bool is_surface, uint64_t object, uint32_t until, const char *api);

/* Finds the object with this record number (struct gasan_view). Returns false if the record no longer exists. */
bool gasan_view_find(uint32_t number, struct gasan_view *view);

/* Records that the array, or mipmapped array, is freed. Ignores objects recorded after `until`. */
void gasan_views_array_freed(const void *handle, uint32_t until, struct gasan_pool_caller caller);

/* Writes the changes to the device's table. Must be called before each launch of a module with views. Costs one load if
 * nothing has changed. */
void gasan_views_upload(struct gasan_rt_device *state);

#endif
