/* Arrays: what textures and surfaces are made of. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/array.h"
#include "device/cpu/array_handles.h"
#include "device/cpu/memory.h"

#define ALLOWED_FLAGS (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather)

/* The attributes that limit width, height and depth (or layers) of a shape; 0: that side must be zero. */
struct shape {
  enum cudaDeviceAttr limits[3];
};
static const struct shape one = {{cudaDevAttrMaxTexture1DWidth, 0, 0}},
                          two = {{cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, 0}},
                          three = {{cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth}},
                          one_layered = {{cudaDevAttrMaxTexture1DLayeredWidth, 0, cudaDevAttrMaxTexture1DLayeredLayers}},
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

/* Everything but the data. */
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

static bool add_handle(const void *handle, size_t size, uint32_t kind) {
  struct gasan_cpu_range range = {(uintptr_t)handle, size, kind, 0};
  return gasan_cpu_ranges_add(&gasan_cpu_array_handles, range);
}

static bool take_handle(const void *handle, uint32_t kinds) {
  struct gasan_cpu_range range;
  return gasan_cpu_ranges_take(&gasan_cpu_array_handles, (uintptr_t)handle, kinds, &range);
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
  struct cudaArray *array = malloc(sizeof *array);
  described.texels.data = gasan_cpu_memory_alloc(bytes_of(&described), GASAN_CPU_MEMORY_ARRAY, 0);
  if (!array || !described.texels.data || !add_handle(array, 1, GASAN_ARRAY)) {
    gasan_cpu_memory_dealloc(described.texels.data, GASAN_CPU_MEMORY_ARRAY);
    free(array);
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
  if (!take_handle(array, GASAN_ARRAY))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  gasan_cpu_memory_dealloc(array->texels.data, GASAN_CPU_MEMORY_ARRAY);
  free(array);
  return cudaSuccess;
}

static size_t half_of(size_t side) {
  return side > 1 ? side / 2 : side;
}

/* The levels of a mipmapped array; layers and faces are as many in each. */
static struct cudaExtent next_extent(struct cudaExtent extent, unsigned flags) {
  bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
  return (struct cudaExtent){half_of(extent.width), half_of(extent.height), keeps_depth ? extent.depth : half_of(extent.depth)};
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

static size_t describe_levels(struct cudaMipmappedArray *mipmapped, const struct cudaChannelFormatDesc *description,
                              struct cudaExtent extent, unsigned flags) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < mipmapped->level_count; i++) {
    describe(&mipmapped->levels[i], description, extent, flags);
    bytes += bytes_of(&mipmapped->levels[i]);
    extent = next_extent(extent, flags);
  }
  return bytes;
}

static void destroy_mipmapped(struct cudaMipmappedArray *mipmapped) {
  for (uint32_t i = 0; i < mipmapped->level_count; i++)
    take_handle(&mipmapped->levels[i], GASAN_ARRAY_LEVEL);
  gasan_cpu_memory_dealloc(mipmapped->levels[0].texels.data, GASAN_CPU_MEMORY_ARRAY);
  free(mipmapped);
}

cudaError_t gasan_cpu_cudaMallocMipmappedArray(cudaMipmappedArray_t *result,
                                               const struct cudaChannelFormatDesc *description, struct cudaExtent extent,
                                               unsigned levels, unsigned flags) {
  struct cudaArray first = {0};
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  error = result ? describe(&first, description, extent, flags) : cudaErrorInvalidValue;
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  uint32_t most = most_levels(extent, flags), count = levels > most ? most : levels ? levels : 1;
  struct cudaMipmappedArray *mipmapped = calloc(1, sizeof *mipmapped + count * sizeof mipmapped->levels[0]);
  if (!mipmapped)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  mipmapped->level_count = count;
  char *data = gasan_cpu_memory_alloc(describe_levels(mipmapped, description, extent, flags), GASAN_CPU_MEMORY_ARRAY, 0);
  mipmapped->levels[0].texels.data = data;
  bool added = data && add_handle(mipmapped, 1, GASAN_ARRAY_MIPMAPPED);
  for (uint32_t i = 0; added && i < count; i++) {
    mipmapped->levels[i].texels.data = data;
    data += bytes_of(&mipmapped->levels[i]);
    added = add_handle(&mipmapped->levels[i], 1, GASAN_ARRAY_LEVEL);
  }
  if (!added) {
    take_handle(mipmapped, GASAN_ARRAY_MIPMAPPED);
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
  if (!take_handle(mipmapped, GASAN_ARRAY_MIPMAPPED))
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
  *array = (cudaArray_t)&mipmapped->levels[level];
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
