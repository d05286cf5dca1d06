/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA arrays: who allocated and freed them, and what size they have. A freed array leaves its record behind until
 * another array has its handle. Any thread. */
#ifndef GASAN_RT_ARRAYS_H
#define GASAN_RT_ARRAYS_H

#include <stdbool.h>

#include "gasan_rt/report/report_view.h"

/* What is known of the handle. False: nothing, or CUDA does not know it. Asks CUDA for the size of a live array of
 * unknown origin. */
bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array);

/* Takes the place of a record of the same handle. Without host memory the array stays unknown. */
void gasan_array_note(const struct gasan_array *array);
/* The same of a live array, whose extent, flags and texel are asked of CUDA first. */
void gasan_array_note_live(struct gasan_array array);

/* The array, or all of a mipmapped one, is freed. */
void gasan_array_note_freed(const void *whole, struct gasan_pool_caller caller);

/* The handle is that of an array of another way now. */
void gasan_array_forget(const void *handle);

#endif
