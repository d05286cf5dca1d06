/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA arrays: texels in rows without gaps, and what the program said of them. */
#ifndef GASAN_DEVICE_CPU_ARRAY_H
#define GASAN_DEVICE_CPU_ARRAY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "device/cpu/copy.h"
#include "device/cpu/texel.h"

struct cudaArray {
  struct cudaChannelFormatDesc description;
  struct gasan_cpu_texel_format format;
  struct cudaExtent extent; /* as given: zero for what the array does not have */
  unsigned flags;
  struct gasan_cpu_texels texels;
};

#define GASAN_CPU_ARRAY_LEVELS 18u /* of 131072 texels */

struct cudaMipmappedArray {
  uint32_t level_count;
  struct cudaArray *levels[GASAN_CPU_ARRAY_LEVELS];
};

/* cudaErrorInvalidChannelDescriptor: no format that textures have; cudaErrorNotSupported: one that only GPUs have. */
cudaError_t gasan_cpu_texel_format_of(const struct cudaChannelFormatDesc *description,
                                      struct gasan_cpu_texel_format *format);
/* A handle that the program gave: is it one? */
bool gasan_cpu_array_valid(cudaArray_const_t array);
bool gasan_cpu_mipmapped_array_valid(cudaMipmappedArray_const_t mipmapped);
/* The array's texels from a byte of a row on. False: so many bytes of so many rows and slices do not lie in it. */
bool gasan_cpu_array_box(cudaArray_const_t array, struct cudaPos position, struct cudaExtent extent,
                         struct gasan_cpu_box *box);

#endif
