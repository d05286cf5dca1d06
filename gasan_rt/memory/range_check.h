/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is what a call of the API reads or writes inside one live allocation? What is not is reported before it happens.
 * Memory that nothing is known of (plain host memory) passes. Any thread. */
#ifndef GASAN_RT_RANGE_CHECK_H
#define GASAN_RT_RANGE_CHECK_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/abi.h"

/* False: it was reported, and the call is not to be made. `api`: the function's name, which lives for ever. */
bool gasan_range_ok(const char *api, enum gasan_access access, const void *pointer, size_t size);
/* Rows of `width` bytes, `pitch` apart. */
bool gasan_rows_ok(const char *api, enum gasan_access access, const void *pointer, size_t pitch, size_t width,
                   size_t rows);
/* Slices of box.ysize rows; `at`: position in bytes, rows and slices. */
bool gasan_box_ok(const char *api, enum gasan_access access, struct cudaPitchedPtr box, struct cudaPos at, size_t width,
                  size_t height, size_t depth);
/* The same of an array; x and width in bytes, but in the sides of a 3D copy, whose extent counts elements. */
bool gasan_array_box_ok(const char *api, enum gasan_access access, cudaArray_const_t array, struct cudaPos at,
                        size_t width, size_t height, size_t depth);
bool gasan_array_rows_ok(const char *api, enum gasan_access access, cudaArray_const_t array, size_t x, size_t y,
                         size_t width, size_t height);
bool gasan_array_run_ok(const char *api, enum gasan_access access, cudaArray_const_t array, size_t x, size_t y,
                        size_t size);
bool gasan_array_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *parameters);
/* Bytes of an element; 0: not known. */
size_t gasan_array_texel(cudaArray_const_t array);
/* Both sides of a 3D copy. */
bool gasan_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *parameters);

/* Bytes of an element of an array or of a texture. 0: not known, and then nothing of it is checked. */
size_t gasan_texel_size(const struct cudaChannelFormatDesc *format);

/* Source and destination of a copy inside device memory must not overlap, unless they are the same. */
bool gasan_apart(const char *api, const void *to, const void *from, size_t size);
bool gasan_rows_apart(const char *api, const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width, size_t rows);

#endif
