/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles and formats of arrays. The calls are in api_array.c. */
#include "device/cpu/array.h"

#include "device/cpu/handles.h"

static bool is_known_kind(enum cudaChannelFormatKind kind) {
  return (unsigned)kind <= cudaChannelFormatKindUnsignedNormalized1010102;
}

cudaError_t gasan_cpu_texel_format_of(const struct cudaChannelFormatDesc *description,
                                      struct gasan_cpu_texel_format *format) {
  static const uint8_t kinds[] = {[cudaChannelFormatKindSigned] = GASAN_TEXEL_SIGNED,
                                  [cudaChannelFormatKindUnsigned] = GASAN_TEXEL_UNSIGNED,
                                  [cudaChannelFormatKindFloat] = GASAN_TEXEL_FLOAT};
  const int bits[4] = {description->x, description->y, description->z, description->w};
  if ((unsigned)description->f >= sizeof kinds)
    return is_known_kind(description->f) && description->f != cudaChannelFormatKindNone
               ? cudaErrorNotSupported
               : cudaErrorInvalidChannelDescriptor;
  uint8_t channels = 0;
  while (channels < 4 && bits[channels])
    channels++;
  for (int i = 0; i < 4; i++)
    if (bits[i] != (i < channels ? bits[0] : 0))
      return cudaErrorInvalidChannelDescriptor;
  const bool is_float = description->f == cudaChannelFormatKindFloat;
  if (channels == 0 || channels == 3 || (bits[0] != 32 && bits[0] != 16 && (bits[0] != 8 || is_float)))
    return cudaErrorInvalidChannelDescriptor;
  *format =
      (struct gasan_cpu_texel_format){.kind = kinds[description->f], .bits = (uint8_t)bits[0], .channels = channels};
  return cudaSuccess;
}

bool gasan_cpu_array_valid(cudaArray_const_t array) {
  return gasan_cpu_handle_valid(array, GASAN_CPU_HANDLE_ARRAY) ||
         gasan_cpu_handle_valid(array, GASAN_CPU_HANDLE_ARRAY_LEVEL);
}

bool gasan_cpu_mipmapped_array_valid(cudaMipmappedArray_const_t mipmapped) {
  return gasan_cpu_handle_valid(mipmapped, GASAN_CPU_HANDLE_MIPMAPPED_ARRAY);
}

static bool fits(size_t first, size_t count, size_t size) {
  return count <= size && first <= size - count;
}

bool gasan_cpu_array_box(cudaArray_const_t array, struct cudaPos position, struct cudaExtent extent,
                         struct gasan_cpu_box *box) {
  const struct gasan_cpu_texels *texels = &array->texels;
  if (!fits(position.x, extent.width, texels->pitch) || !fits(position.y, extent.height, texels->height) ||
      !fits(position.z, extent.depth, texels->depth))
    return false;
  *box = (struct gasan_cpu_box){
      .origin = gasan_cpu_texel_at(texels, 1, 0, (uint32_t)position.y, (uint32_t)position.z) + position.x,
      .pitch = texels->pitch,
      .rows_per_slice = texels->height,
  };
  return true;
}
