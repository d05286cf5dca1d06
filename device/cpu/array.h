/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA arrays: texels in rows without gaps, and the parameters with which the program made them. */
#ifndef GASAN_DEVICE_CPU_ARRAY_H
#define GASAN_DEVICE_CPU_ARRAY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "device/cpu/box_copy.h"
#include "device/cpu/texel.h"

struct cudaArray {
  struct cudaChannelFormatDesc description;
  struct gasan_cpu_texel_format format;
  struct cudaExtent extent; /* as the program gave it; zero for dimensions that the array lacks */
  unsigned flags;
  struct gasan_cpu_texels texels;
};

#define GASAN_CPU_ARRAY_LEVELS 18u /* levels of 131072 texels, the largest width */

struct cudaMipmappedArray {
  uint32_t level_count;
  struct cudaArray *levels[GASAN_CPU_ARRAY_LEVELS];
};

/* Converts a channel description. cudaErrorInvalidChannelDescriptor: textures have no such format.
 * cudaErrorNotSupported: only GPUs have it. */
cudaError_t gasan_cpu_texel_format_of(const struct cudaChannelFormatDesc *description,
                                      struct gasan_cpu_texel_format *format);
/* Return true if the handle, which the program has passed, is valid. */
bool gasan_cpu_array_valid(cudaArray_const_t array);
bool gasan_cpu_mipmapped_array_valid(cudaMipmappedArray_const_t mipmapped);
/* Sets *box to the box of an array that begins at `position` and has this extent (x and width in bytes). Returns false
 * if the box is not inside the array. */
bool gasan_cpu_array_box(cudaArray_const_t array, struct cudaPos position, struct cudaExtent extent,
                         struct gasan_cpu_box *box);

#endif
