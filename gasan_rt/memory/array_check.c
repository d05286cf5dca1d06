/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the array side of a copy. CUDA returns cudaErrorInvalidValue for a part outside the array, which programs
 * overlook. */
#include <cuda_runtime_api.h>

#include "gasan_rt/memory/arrays.h"
#include "gasan_rt/memory/range_check.h"
#include "gasan_rt/report/report_view.h"

static bool is_inside(size_t first, size_t count, size_t size) {
  return first <= size && count <= size - first;
}

bool gasan_array_box_ok(const char *api, enum gasan_access access, cudaArray_const_t handle, struct cudaPos at,
                        size_t width, size_t height, size_t depth) {
  struct gasan_array array;
  if (!gasan_array_find(handle, false, &array))
    return true;
  if (array.is_freed)
    return !gasan_report_freed_array(api, &array, access);
  if (!width || !height || !depth ||
      (is_inside(at.x, width, gasan_array_row(&array)) && is_inside(at.y, height, gasan_array_height(&array)) &&
       is_inside(at.z, depth, gasan_array_depth(&array))))
    return true;
  const struct gasan_array_part part = {at.x, at.y, at.z, width, height, depth};
  return !gasan_report_array_overflow(api, &array, access, &part);
}

bool gasan_array_rows_ok(const char *api, enum gasan_access access, cudaArray_const_t array, size_t x, size_t y,
                         size_t width, size_t height) {
  return gasan_array_box_ok(api, access, array, (struct cudaPos){x, y, 0}, width, height, 1);
}

/* Checks the array side of the deprecated calls, which copy a run of bytes that continues in the next row. */
bool gasan_array_run_ok(const char *api, enum gasan_access access, cudaArray_const_t handle, size_t x, size_t y,
                        size_t size) {
  struct gasan_array array;
  if (!size || !gasan_array_find(handle, false, &array) || array.is_freed || !array.texel ||
      x > gasan_array_row(&array))
    return gasan_array_rows_ok(api, access, handle, x, y, size, 1);
  const size_t row = gasan_array_row(&array), rows = (x + size - 1) / row + 1;
  if (x + size < x || rows == 1)
    return gasan_array_rows_ok(api, access, handle, x, y, size, 1);
  return gasan_array_rows_ok(api, access, handle, 0, y, row, rows);
}

size_t gasan_array_texel(cudaArray_const_t handle) {
  struct gasan_array array;
  return gasan_array_find(handle, false, &array) ? array.texel : 0;
}

static bool side_ok(const char *api, enum gasan_access access, cudaArray_const_t array, struct cudaPos at,
                    struct cudaExtent extent) {
  const size_t texel = array ? gasan_array_texel(array) : 0;
  if (!array)
    return true;
  at.x *= texel ? texel : 1;
  return gasan_array_box_ok(api, access, array, at, extent.width * (texel ? texel : 1), extent.height, extent.depth);
}

bool gasan_array_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *p) {
  return side_ok(api, GASAN_ACCESS_READ, p->srcArray, p->srcPos, p->extent) &&
         side_ok(api, GASAN_ACCESS_WRITE, p->dstArray, p->dstPos, p->extent);
}
