/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/range_check.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/report/report.h"

/* The position of a range in a copy of many rows; SIZE_MAX: the copy has no rows, or no slices. */
struct part {
  size_t row, slice;
};
static const struct part whole = {SIZE_MAX, SIZE_MAX};

/* Returns false if CUDA says that the record is out of date: a call that we do not intercept has freed the memory, or
 * its library was unloaded. */
static bool still_known(const struct gasan_foreign *range) {
  struct cudaPointerAttributes attributes;
  const void *base = (const void *)(uintptr_t)range->chunk.base;
  if (range->kind == GASAN_FOREIGN_VARIABLE || range->quarantined)
    return true;
  cudaError_t error = GASAN_REAL(cudaPointerGetAttributes)(&attributes, base);
  if (error == cudaSuccess && attributes.type != cudaMemoryTypeUnregistered)
    return true;
  gasan_foreign_forget_at(base);
  return false;
}

/* Returns true if a byte of [address, address + size) is certainly outside the range; then sets *fault to the first
 * such byte. */
static bool foreign_fault(const void *pointer, size_t size, struct gasan_foreign *range, uint64_t *fault) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (!gasan_foreign_find(pointer, range))
    return false;
  uint64_t end = range->chunk.base + range->chunk.size;
  bool freed = range->chunk.state == GASAN_CHUNK_FREED;
  *fault = freed ? address : end;
  if (freed ? !range->quarantined : size <= end - address || range->kind & GASAN_FOREIGN_OPEN_ENDED)
    return false;
  return still_known(range);
}

static bool part_ok(const char *api, enum gasan_access access, const void *pointer, size_t size, struct part part) {
  gasan_rt_kind();
  if (!size || !pointer)
    return true;
  uint64_t address = (uint64_t)(uintptr_t)pointer, fault = 0;
  struct gasan_api_fault report = {.state = gasan_rt_owner(pointer),
                                   .api = api,
                                   .access = access,
                                   .address = address,
                                   .size = size,
                                   .row = part.row,
                                   .slice = part.slice};
  struct gasan_foreign range;
  struct gasan_chunk freed;
  if (report.state && gasan_pending_frees_find(address, &freed)) {
    report.freed = &freed;
    fault = address;
  } else if (report.state ? gasan_pool_covers(report.state->pool, address, size, &fault)
                          : !foreign_fault(pointer, size, &range, &fault)) {
    return true;
  }
  report.fault = fault;
  struct gasan_report_range known = {.known = true};
  if (!report.state) {
    known.is_variable = range.kind == GASAN_FOREIGN_VARIABLE;
    known.chunk = range.chunk;
    report.range = &known;
  }
  return !gasan_report_api_fault(&report);
}

bool gasan_range_ok(const char *api, enum gasan_access access, const void *pointer, size_t size) {
  return part_ok(api, access, pointer, size, whole);
}

/* Checks all rows at once if one chunk holds them, else row by row. */
static bool slice_ok(const char *api, enum gasan_access access, const void *pointer, size_t pitch, size_t width,
                     size_t rows, size_t slice) {
  gasan_rt_kind();
  if (!width || !rows || !pointer)
    return true;
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  struct gasan_foreign range;
  uint64_t address = (uint64_t)(uintptr_t)pointer, span = 0, fault = 0;
  if (!owner && !gasan_foreign_find(pointer, &range))
    return true;
  struct gasan_chunk freed;
  if (!(owner && gasan_pending_frees_find(address, &freed)) && !__builtin_mul_overflow(pitch, rows - 1, &span) &&
      !__builtin_add_overflow(span, width, &span) &&
      (owner ? gasan_pool_covers(owner->pool, address, span, &fault) : !foreign_fault(pointer, span, &range, &fault)))
    return true;
  for (size_t row = 0; row < rows; row++)
    if (!part_ok(api, access, (const char *)pointer + row * pitch, width, (struct part){row, slice}))
      return false;
  return true;
}

bool gasan_rows_ok(const char *api, enum gasan_access access, const void *pointer, size_t pitch, size_t width,
                   size_t rows) {
  return slice_ok(api, access, pointer, pitch, width, rows, SIZE_MAX);
}

bool gasan_box_ok(const char *api, enum gasan_access access, struct cudaPitchedPtr box, struct cudaPos at, size_t width,
                  size_t height, size_t depth) {
  for (size_t z = 0; z < depth; z++) {
    size_t row = (at.z + z) * box.ysize + at.y;
    if (!slice_ok(api, access, (const char *)box.ptr + row * box.pitch + at.x, box.pitch, width, height, z))
      return false;
  }
  return true;
}

/* Compressed and planar formats (the kinds above float) count blocks, not elements. */
size_t gasan_texel_size(const struct cudaChannelFormatDesc *format) {
  return format->f > cudaChannelFormatKindFloat ? 0 : (size_t)(format->x + format->y + format->z + format->w) / 8;
}

bool gasan_copy3d_ok(const char *api, const struct cudaMemcpy3DParms *p) {
  /* If either side is an array, the extent and that side's position count elements. */
  struct cudaArray *array = p->srcArray ? p->srcArray : p->dstArray;
  size_t width = p->extent.width * (array ? gasan_array_texel(array) : 1);
  return gasan_array_copy3d_ok(api, p) &&
         (!p->srcPtr.ptr ||
          gasan_box_ok(api, GASAN_ACCESS_READ, p->srcPtr, p->srcPos, width, p->extent.height, p->extent.depth)) &&
         (!p->dstPtr.ptr ||
          gasan_box_ok(api, GASAN_ACCESS_WRITE, p->dstPtr, p->dstPos, width, p->extent.height, p->extent.depth));
}

/* Returns true if the memory is known. A copy inside plain host memory may overlap. */
static bool is_known(const void *pointer) {
  struct gasan_foreign range;
  return gasan_rt_owner(pointer) || (gasan_foreign_find(pointer, &range) && !(range.kind & GASAN_FOREIGN_OPEN_ENDED));
}

/* Returns the allocation that holds the address, or NULL for none and for variables. */
static const struct gasan_chunk *find_chunk(uint64_t address, struct gasan_chunk *chunk) {
  const void *pointer = (const void *)(uintptr_t)address;
  struct gasan_rt_device *owner = gasan_rt_owner(pointer);
  struct gasan_foreign range;
  if (owner)
    return gasan_pool_explain(owner->pool, address, chunk) ? chunk : NULL;
  if (!gasan_foreign_find(pointer, &range) || range.kind == GASAN_FOREIGN_VARIABLE)
    return NULL;
  *chunk = range.chunk;
  return chunk;
}

bool gasan_apart(const char *api, const void *to, const void *from, size_t size) {
  return gasan_rows_apart(api, to, size, from, size, size, 1);
}

bool gasan_rows_apart(const char *api, const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width, size_t rows) {
  uint64_t one = (uint64_t)(uintptr_t)to, other = (uint64_t)(uintptr_t)from;
  uint64_t distance = one < other ? other - one : one - other;
  /* Two different pitches have no simple formula; such copies are not checked. */
  if (!width || !rows || !distance || to_pitch != from_pitch || to_pitch < width)
    return true;
  uint64_t apart = distance / to_pitch, rest = distance % to_pitch;
  bool overlap = (apart < rows && rest < width) || (apart + 1 < rows && to_pitch - rest < width);
  if (!overlap || !is_known(to) || !is_known(from))
    return true;
  uint64_t span = to_pitch * (rows - 1) + width;
  struct gasan_chunk chunks[2];
  return !gasan_report_overlap(api, one, other, span, find_chunk(one, &chunks[0]), find_chunk(other, &chunks[1]));
}
