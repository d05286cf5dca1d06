/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the ranges that calls of the CUDA API read or write: each must be inside one live allocation. Reports a bad
 * range before the call. Accepts unknown memory (plain host memory). Any thread; no lock.
 *
 * The functions return false if they have reported; the caller must then not make the call. `api` is the function's
 * name, a string that is never freed. */
#ifndef GASAN_RT_RANGE_CHECK_H
#define GASAN_RT_RANGE_CHECK_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/abi.h"

bool gasan_range_ok(const char *api, enum gasan_access access, const void *pointer, size_t size);
/* Checks rows of `width` bytes, `pitch` bytes apart. */
bool gasan_rows_ok(const char *api, enum gasan_access access, const void *pointer, size_t pitch, size_t width,
                   size_t rows);
/* Checks slices of box.ysize rows each; `at` is the position in bytes, rows and slices. */
bool gasan_box_ok(const char *api, enum gasan_access access, struct cudaPitchedPtr box, struct cudaPos at, size_t width,
                  size_t height, size_t depth);
/* Does the same for an array. x and width are in bytes, except in a 3D copy, where position and extent count
 * elements. */
bool gasan_array_box_ok(const char *api, enum gasan_access access, cudaArray_const_t array, struct cudaPos at,
                        size_t width, size_t height, size_t depth);
bool gasan_array_rows_ok(const char *api, enum gasan_access access, cudaArray_const_t array, size_t x, size_t y,
                         size_t width, size_t height);
bool gasan_array_run_ok(const char *api, enum gasan_access access, cudaArray_const_t array, size_t x, size_t y,
                        size_t size);
bool gasan_array_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *parameters);
/* Returns the bytes of an element; 0: not known. */
size_t gasan_array_texel(cudaArray_const_t array);
/* Checks both sides of a 3D copy. */
bool gasan_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *parameters);

/* Returns the bytes of an element of an array or a texture. 0: not known; such memory is not checked. */
size_t gasan_texel_size(const struct cudaChannelFormatDesc *format);

/* Check that source and destination of a copy inside device memory do not overlap; they may be the same. */
bool gasan_apart(const char *api, const void *to, const void *from, size_t size);
bool gasan_rows_apart(const char *api, const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width, size_t rows);

#endif
