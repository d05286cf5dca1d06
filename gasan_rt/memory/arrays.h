/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records CUDA arrays: their sizes, and the callers that allocated and freed them. The record of a freed array is kept
 * until another array gets its handle. Any thread. One lock (`lock`), under which nothing is called. */
#ifndef GASAN_RT_ARRAYS_H
#define GASAN_RT_ARRAYS_H

#include <stdbool.h>

#include "gasan_rt/report/report_view.h"

/* Finds the array of the handle. Queries CUDA for the size of a live array without a record. Returns false if the
 * handle is unknown to both. */
bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array);

/* Records an array; replaces the record of an earlier array with this handle. Without host memory, the array stays
 * unknown. */
void gasan_array_note(const struct gasan_array *array);
/* Does the same for a live array. Takes extent, flags and texel from CUDA. */
void gasan_array_note_live(struct gasan_array array);

/* Returns the number of the latest record. Must be called before CUDA frees an array: as soon as CUDA has freed the
 * array, another thread may record a new array with the same handle. */
uint64_t gasan_array_latest(void);

/* Records that the array, or a mipmapped array with its levels, is freed. Ignores arrays that were recorded after
 * `until`. */
void gasan_array_note_freed(const void *whole, uint64_t until, struct gasan_pool_caller caller);

/* Removes the record, because the handle now names an array that is not recorded. */
void gasan_array_forget(const void *handle);

#endif
