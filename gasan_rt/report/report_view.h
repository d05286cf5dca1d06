/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes arrays and views, and reports accesses to arrays: through texture and surface objects, and by copies. Any
 * thread. */
#ifndef GASAN_RT_REPORT_VIEW_H
#define GASAN_RT_REPORT_VIEW_H

#include <driver_types.h>

#include "gasan_rt/report/report.h"

/* A CUDA array, live or freed. */
struct gasan_array {
  const void *handle;       /* cudaArray_t or cudaMipmappedArray_t */
  const void *whole;        /* for a level: its mipmapped array; else the handle */
  struct cudaExtent extent; /* from cudaArrayGetInfo; for a mipmapped array, its first level's */
  unsigned flags;
  uint32_t texel; /* bytes of an element; 0: not known */
  bool is_freed, has_allocation, is_mipmapped;
  struct gasan_pool_caller allocated, freed; /* valid with has_allocation, with is_freed */
};

/* Return sizes: a row in bytes, the height in rows, the depth in slices, layers or faces. All are at least 1. A row of
 * elements of unknown size has SIZE_MAX bytes. */
size_t gasan_array_row(const struct gasan_array *array);
size_t gasan_array_height(const struct gasan_array *array);
size_t gasan_array_depth(const struct gasan_array *array);

/* The reason why a view can no longer be used. */
enum gasan_view_end { GASAN_VIEW_USABLE, GASAN_VIEW_DESTROYED, GASAN_VIEW_ARRAY_FREED, GASAN_VIEW_MEMORY_FREED };

/* A texture or surface object. */
struct gasan_view {
  uint64_t object;
  uint32_t number; /* its record's number, as in base/views.h */
  int ordinal;     /* of its device */
  bool is_surface;
  enum gasan_view_end end;
  bool has_array;
  struct gasan_array array;
  uint32_t texel;           /* bytes of an element; 0: not known */
  uint64_t memory;          /* address of a texture's linear memory; else 0 */
  struct gasan_chunk chunk; /* for GASAN_VIEW_MEMORY_FREED: the freed allocation */
  struct gasan_pool_caller created, destroyed;
};

/* Returns true if the record describes an access through a texture or surface object. */
bool gasan_report_is_view(const struct gasan_record *record);

/* Reports such an access. Returns false for other faults. */
bool gasan_report_view_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* The part of an array that a copy reads or writes; x and width in bytes. */
struct gasan_array_part {
  size_t x, y, z, width, height, depth;
};

/* Return false if a suppression matches: the caller must then make the call as if nothing were wrong. */
bool gasan_report_array_overflow(const char *api, const struct gasan_array *array, enum gasan_access access,
                                 const struct gasan_array_part *part);
bool gasan_report_freed_array(const char *api, const struct gasan_array *array, enum gasan_access access);
bool gasan_report_array_double_free(const struct gasan_array *array, const struct gasan_pool_caller *caller);

#endif
