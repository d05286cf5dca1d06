/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays and mipmapped arrays: making, freeing and querying them. */
#include "device/cpu/api.h"
#include "device/cpu/array.h"
#include "device/cpu/handles.h"
#include "device/cpu/memory.h"

#define ALLOWED_FLAGS (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather)

/* The device attributes that limit width, height and depth (or layers) of a shape. 0: the side must be 0. */
struct shape {
  enum cudaDeviceAttr limits[3];
};
static const struct shape one = {{cudaDevAttrMaxTexture1DWidth, 0, 0}},
                          two = {{cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, 0}},
                          three = {{cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
                                    cudaDevAttrMaxTexture3DDepth}},
                          one_layered = {{cudaDevAttrMaxTexture1DLayeredWidth, 0,
                                          cudaDevAttrMaxTexture1DLayeredLayers}},
                          two_layered = {{cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
                                          cudaDevAttrMaxTexture2DLayeredLayers}},
                          cube = {{cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapWidth,
                                   cudaDevAttrMaxTextureCubemapLayeredLayers}},
                          two_gather = {{cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight, 0}};

static const struct shape *shape_of(struct cudaExtent extent, unsigned flags) {
  if (flags & cudaArrayCubemap)
    return &cube;
  if (flags & cudaArrayLayered)
    return extent.height ? &two_layered : &one_layered;
  if (extent.depth)
    return &three;
  if (extent.height)
    return flags & cudaArrayTextureGather ? &two_gather : &two;
  return &one;
}

static bool cube_valid(struct cudaExtent extent, unsigned flags) {
  return extent.width == extent.height && extent.depth % 6 == 0 && ((flags & cudaArrayLayered) || extent.depth == 6);
}

static bool extent_valid(struct cudaExtent extent, unsigned flags) {
  const struct shape *shape = shape_of(extent, flags);
  const size_t sides[3] = {extent.width, extent.height, extent.depth};
  for (int i = 0; i < 3; i++)
    if (shape->limits[i] ? sides[i] == 0 || sides[i] > (size_t)gasan_cpu_attribute(shape->limits[i]) : sides[i] != 0)
      return false;
  if ((flags & cudaArrayTextureGather) && shape != &two_gather)
    return false;
  return !(flags & cudaArrayCubemap) || cube_valid(extent, flags);
}

/* Fills in all members except the data. */
static cudaError_t describe(struct cudaArray *array, const struct cudaChannelFormatDesc *description,
                            struct cudaExtent extent, unsigned flags) {
  if (!description)
    return cudaErrorInvalidValue;
  cudaError_t error = gasan_cpu_texel_format_of(description, &array->format);
  if (error != cudaSuccess)
    return error;
  if (flags & (cudaArraySparse | cudaArrayDeferredMapping | cudaArrayColorAttachment))
    return cudaErrorNotSupported;
  if ((flags & ~(unsigned)ALLOWED_FLAGS) || !extent_valid(extent, flags))
    return cudaErrorInvalidValue;
  array->description = *description;
  array->extent = extent;
  array->flags = flags;
  struct gasan_cpu_texels *texels = &array->texels;
  texels->width = (uint32_t)extent.width;
  texels->height = extent.height ? (uint32_t)extent.height : 1;
  texels->depth = extent.depth ? (uint32_t)extent.depth : 1;
  texels->pitch = (size_t)texels->width * gasan_cpu_texel_size(&array->format);
  texels->slice_pitch = texels->pitch * texels->height;
  return cudaSuccess;
}

static size_t bytes_of(const struct cudaArray *array) {
  return array->texels.slice_pitch * array->texels.depth;
}

static cudaError_t allocate(cudaArray_t *result, const struct cudaChannelFormatDesc *description,
                            struct cudaExtent extent, unsigned flags) {
  struct cudaArray described = {0};
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  error = result ? describe(&described, description, extent, flags) : cudaErrorInvalidValue;
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  described.texels.data = gasan_cpu_memory_alloc(bytes_of(&described), GASAN_CPU_MEMORY_ARRAY, 0);
  struct cudaArray *array = described.texels.data ? gasan_cpu_handle_new(sizeof *array, GASAN_CPU_HANDLE_ARRAY) : NULL;
  if (!array) {
    gasan_cpu_memory_dealloc(described.texels.data, GASAN_CPU_MEMORY_ARRAY, NULL);
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  }
  *array = described;
  *result = array;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description, size_t width,
                                      size_t height, unsigned flags) {
  if (flags & (cudaArrayLayered | cudaArrayCubemap))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return allocate(array, description, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t gasan_cpu_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description,
                                        struct cudaExtent extent, unsigned flags) {
  return allocate(array, description, extent, flags);
}

cudaError_t gasan_cpu_cudaFreeArray(cudaArray_t array) {
  cudaError_t error = gasan_cpu_synchronize();
  if (error != cudaSuccess || !array)
    return error;
  if (!gasan_cpu_handle_valid(array, GASAN_CPU_HANDLE_ARRAY))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  gasan_cpu_memory_dealloc(array->texels.data, GASAN_CPU_MEMORY_ARRAY, NULL);
  gasan_cpu_handle_free(array, GASAN_CPU_HANDLE_ARRAY);
  return cudaSuccess;
}

static size_t half_of(size_t side) {
  return side > 1 ? side / 2 : side;
}

/* Returns the extent of the next level. All levels have the same number of layers and faces. */
static struct cudaExtent next_extent(struct cudaExtent extent, unsigned flags) {
  bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
  return (struct cudaExtent){half_of(extent.width), half_of(extent.height),
                             keeps_depth ? extent.depth : half_of(extent.depth)};
}

static uint32_t most_levels(struct cudaExtent extent, unsigned flags) {
  size_t side = extent.width > extent.height ? extent.width : extent.height;
  if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > side)
    side = extent.depth;
  uint32_t levels = 0;
  for (; side; side /= 2)
    levels++;
  return levels;
}

static void destroy_mipmapped(struct cudaMipmappedArray *mipmapped) {
  for (uint32_t i = 0; i < GASAN_CPU_ARRAY_LEVELS && mipmapped->levels[i]; i++) {
    gasan_cpu_memory_dealloc(mipmapped->levels[i]->texels.data, GASAN_CPU_MEMORY_ARRAY, NULL);
    gasan_cpu_handle_free(mipmapped->levels[i], GASAN_CPU_HANDLE_ARRAY_LEVEL);
  }
  gasan_cpu_handle_free(mipmapped, GASAN_CPU_HANDLE_MIPMAPPED_ARRAY);
}

static bool create_levels(struct cudaMipmappedArray *mipmapped, const struct cudaChannelFormatDesc *description,
                          struct cudaExtent extent, unsigned flags) {
  for (uint32_t i = 0; i < mipmapped->level_count; i++) {
    struct cudaArray *level = gasan_cpu_handle_new(sizeof *level, GASAN_CPU_HANDLE_ARRAY_LEVEL);
    mipmapped->levels[i] = level;
    if (!level || describe(level, description, extent, flags) != cudaSuccess)
      return false;
    level->texels.data = gasan_cpu_memory_alloc(bytes_of(level), GASAN_CPU_MEMORY_ARRAY, 0);
    if (!level->texels.data)
      return false;
    extent = next_extent(extent, flags);
  }
  return true;
}

cudaError_t gasan_cpu_cudaMallocMipmappedArray(cudaMipmappedArray_t *result,
                                               const struct cudaChannelFormatDesc *description,
                                               struct cudaExtent extent, unsigned levels, unsigned flags) {
  struct cudaArray first = {0};
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  error = result ? describe(&first, description, extent, flags) : cudaErrorInvalidValue;
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  struct cudaMipmappedArray *mipmapped = gasan_cpu_handle_new(sizeof *mipmapped, GASAN_CPU_HANDLE_MIPMAPPED_ARRAY);
  if (!mipmapped)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  uint32_t most = most_levels(extent, flags);
  mipmapped->level_count = levels > most ? most : levels ? levels : 1;
  if (!create_levels(mipmapped, description, extent, flags)) {
    destroy_mipmapped(mipmapped);
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  }
  *result = mipmapped;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmapped) {
  cudaError_t error = gasan_cpu_synchronize();
  if (error != cudaSuccess || !mipmapped)
    return error;
  if (!gasan_cpu_mipmapped_array_valid(mipmapped))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  destroy_mipmapped(mipmapped);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmapped,
                                                 unsigned level) {
  if (!array)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!gasan_cpu_mipmapped_array_valid(mipmapped))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (level >= mipmapped->level_count)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *array = mipmapped->levels[level];
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaArrayGetInfo(struct cudaChannelFormatDesc *description, struct cudaExtent *extent,
                                       unsigned *flags, cudaArray_t array) {
  if (!gasan_cpu_array_valid(array))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (description)
    *description = array->description;
  if (extent)
    *extent = array->extent;
  if (flags)
    *flags = array->flags;
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaGetChannelDesc(struct cudaChannelFormatDesc *description, cudaArray_const_t array) {
  if (!description)
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_cudaArrayGetInfo(description, NULL, NULL, (cudaArray_t)array);
}
