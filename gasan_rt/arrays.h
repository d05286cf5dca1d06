/* CUDA arrays: who allocated and freed them, and what size they have. A freed array leaves its record behind until
 * another array has its handle. Any thread. */
#ifndef GASAN_RT_ARRAYS_H
#define GASAN_RT_ARRAYS_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/pool.h"

struct gasan_array {
  const void *handle;       /* cudaArray_t or cudaMipmappedArray_t */
  const void *whole;        /* of a level: its mipmapped array; else the handle */
  struct cudaExtent extent; /* as cudaArrayGetInfo has it; of a mipmapped array: of its first level */
  unsigned flags;
  uint32_t texel; /* bytes of an element; 0: not known */
  bool is_freed, has_allocation, is_mipmapped;
  struct gasan_pool_caller allocated, freed; /* if has_allocation, is_freed */
};

/* What is known of the handle. False: nothing, or CUDA does not know it. Asks CUDA for the size of a live array of
 * unknown origin. */
bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array);

/* The handle is that of an array of another way now. */
void gasan_array_forget(const void *handle);

/* Sizes in bytes, rows, and slices, layers or faces; at least 1 each but for a row of elements of unknown size, which
 * is SIZE_MAX. */
size_t gasan_array_row(const struct gasan_array *array);
size_t gasan_array_height(const struct gasan_array *array);
size_t gasan_array_depth(const struct gasan_array *array);

#endif
