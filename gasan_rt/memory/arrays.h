/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records of CUDA arrays: sizes, and the callers that allocated and freed them. The record of a freed array stays until
 * another array has its handle. Any thread. */
#ifndef GASAN_RT_ARRAYS_H
#define GASAN_RT_ARRAYS_H

#include <stdbool.h>

#include "gasan_rt/report/report_view.h"

/* Finds the array of the handle. Asks CUDA for the size of a live array without a record. Returns false if neither
 * knows the handle. */
bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array);

/* Records an array, in place of an earlier array with this handle. Without host memory the array stays unknown. */
void gasan_array_note(const struct gasan_array *array);
/* The same for a live array; extent, flags and texel are taken from CUDA. */
void gasan_array_note_live(struct gasan_array array);

/* Returns the number of the latest record. Call before CUDA frees an array: as soon as CUDA has freed it, another
 * thread may record a new array with the same handle. */
uint64_t gasan_array_latest(void);

/* Records that the array, or a mipmapped array with its levels, is freed. Ignores arrays recorded after `until`. */
void gasan_array_note_freed(const void *whole, uint64_t until, struct gasan_pool_caller caller);

/* Removes the record: the handle now names an array that is not recorded. */
void gasan_array_forget(const void *handle);

#endif
