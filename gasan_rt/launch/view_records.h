/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: texture and surface objects. The host keeps who made and who destroyed each, and what its memory is; kernels
 * look up what base/views.h describes.
 *
 * CUDA gives the numbers of destroyed objects again, and a program may destroy an object while kernels that it launched
 * before still use it. So what kernels find for a number changes only when all launches are known to be complete that
 * were made with the number's old meaning. Until then the old meaning stays, or, if there is a new object, nothing is
 * checked. Any thread. */
#ifndef GASAN_RT_VIEW_RECORDS_H
#define GASAN_RT_VIEW_RECORDS_H

#include <driver_types.h>

#include "base/views.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/report/report_view.h"

/* What the program has made and destroyed in the current context; nothing is noted of contexts that are not checked.
 * resource NULL: not known, and accesses through the object are not checked. */
void gasan_views_note_created(bool is_surface, uint64_t object, const struct cudaResourceDesc *resource,
                              const char *api);
void gasan_views_note_destroyed(bool is_surface, uint64_t object, const char *api);

/* False: the record is gone. */
bool gasan_view_find(uint32_t number, struct gasan_view *view);

/* The array, or the mipmapped one, is freed. */
void gasan_views_array_freed(const void *handle, struct gasan_pool_caller caller);

/* Writes what has changed to the device. Before each launch of such a module; one load if there is nothing to do. */
void gasan_views_upload(struct gasan_rt_device *state);

#endif
