/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texture and surface objects. */
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/array.h"
#include "device/cpu/view.h"

static size_t attribute(enum cudaDeviceAttr which) {
  return (size_t)gasan_cpu_attribute(which);
}

static bool aligned(const void *pointer, enum cudaDeviceAttr which) {
  return (uintptr_t)pointer % attribute(which) == 0;
}

static cudaError_t set_linear(struct gasan_cpu_view *view, const struct cudaResourceDesc *resource) {
  cudaError_t error = gasan_cpu_texel_format_of(&resource->res.linear.desc, &view->format);
  if (error != cudaSuccess)
    return error;
  size_t count = resource->res.linear.sizeInBytes / gasan_cpu_texel_size(&view->format);
  if (!resource->res.linear.devPtr || count == 0 || count > attribute(cudaDevAttrMaxTexture1DLinearWidth) ||
      !aligned(resource->res.linear.devPtr, cudaDevAttrTextureAlignment))
    return cudaErrorInvalidValue;
  view->levels[0] =
      (struct gasan_cpu_texels){.data = resource->res.linear.devPtr, .width = (uint32_t)count, .height = 1, .depth = 1};
  view->level_count = 1;
  return cudaSuccess;
}

static cudaError_t set_pitched(struct gasan_cpu_view *view, const struct cudaResourceDesc *resource) {
  cudaError_t error = gasan_cpu_texel_format_of(&resource->res.pitch2D.desc, &view->format);
  if (error != cudaSuccess)
    return error;
  size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height,
         pitch = resource->res.pitch2D.pitchInBytes;
  if (width == 0 || width > attribute(cudaDevAttrMaxTexture2DLinearWidth) || height == 0 ||
      height > attribute(cudaDevAttrMaxTexture2DLinearHeight) ||
      pitch > attribute(cudaDevAttrMaxTexture2DLinearPitch) || pitch < width * gasan_cpu_texel_size(&view->format) ||
      pitch % attribute(cudaDevAttrTexturePitchAlignment) != 0 || !resource->res.pitch2D.devPtr ||
      !aligned(resource->res.pitch2D.devPtr, cudaDevAttrTextureAlignment))
    return cudaErrorInvalidValue;
  view->levels[0] = (struct gasan_cpu_texels){.data = resource->res.pitch2D.devPtr,
                                              .pitch = pitch,
                                              .width = (uint32_t)width,
                                              .height = (uint32_t)height,
                                              .depth = 1};
  view->level_count = 1;
  return cudaSuccess;
}

static cudaError_t set_arrays(struct gasan_cpu_view *view, struct cudaArray *const *arrays, uint32_t count) {
  view->format = arrays[0]->format;
  view->level_count = count;
  for (uint32_t i = 0; i < count; i++)
    view->levels[i] = arrays[i]->texels;
  return cudaSuccess;
}

static cudaError_t set_resource(struct gasan_cpu_view *view, const struct cudaResourceDesc *resource) {
  view->resource = *resource;
  switch (resource->resType) {
  case cudaResourceTypeLinear:
    return set_linear(view, resource);
  case cudaResourceTypePitch2D:
    return set_pitched(view, resource);
  case cudaResourceTypeArray:
    if (!gasan_cpu_array_valid(resource->res.array.array))
      return cudaErrorInvalidResourceHandle;
    return set_arrays(view, &resource->res.array.array, 1);
  case cudaResourceTypeMipmappedArray:
    if (!gasan_cpu_mipmapped_array_valid(resource->res.mipmap.mipmap))
      return cudaErrorInvalidResourceHandle;
    return set_arrays(view, resource->res.mipmap.mipmap->levels, resource->res.mipmap.mipmap->level_count);
  default:
    return cudaErrorInvalidValue;
  }
}

/* Converts the format of a resource view. CUDA numbers formats in groups of three, with 1, 2 and 4 channels. */
static bool view_format(enum cudaResourceViewFormat format, struct gasan_cpu_texel_format *result) {
  static const struct {
    uint8_t kind, bits;
  } kinds[] = {{GASAN_TEXEL_UNSIGNED, 8}, {GASAN_TEXEL_SIGNED, 8},    {GASAN_TEXEL_UNSIGNED, 16},
               {GASAN_TEXEL_SIGNED, 16},  {GASAN_TEXEL_UNSIGNED, 32}, {GASAN_TEXEL_SIGNED, 32},
               {GASAN_TEXEL_FLOAT, 16},   {GASAN_TEXEL_FLOAT, 32}};
  if (format < cudaResViewFormatUnsignedChar1 || format > cudaResViewFormatFloat4)
    return false;
  unsigned index = (unsigned)format - cudaResViewFormatUnsignedChar1;
  *result = (struct gasan_cpu_texel_format){
      .kind = kinds[index / 3].kind, .bits = kinds[index / 3].bits, .channels = (uint8_t)(1u << index % 3)};
  return true;
}

/* Returns a resource's array, or the first level of its mipmapped array. */
static const struct cudaArray *array_of(const struct cudaResourceDesc *resource) {
  return resource->resType == cudaResourceTypeArray ? resource->res.array.array
                                                    : resource->res.mipmap.mipmap->levels[0];
}

/* A resource view gives the size of the whole array, whichever levels and layers it selects. */
static bool part_fits(const struct gasan_cpu_view *view, const struct cudaResourceViewDesc *part) {
  const struct cudaArray *array = array_of(&view->resource);
  const bool layered = array->flags & (cudaArrayLayered | cudaArrayCubemap);
  return part->width == array->extent.width && part->height == array->extent.height &&
         part->depth == array->extent.depth && part->firstMipmapLevel <= part->lastMipmapLevel &&
         part->lastMipmapLevel < view->level_count && part->firstLayer <= part->lastLayer &&
         part->lastLayer < (layered ? array->texels.depth : 1);
}

/* Applies a resource view: another format of the same size, and a part of the layers and levels. */
static cudaError_t set_part(struct gasan_cpu_view *view, const struct cudaResourceViewDesc *part) {
  struct gasan_cpu_texel_format format = view->format;
  const unsigned flags = array_of(&view->resource)->flags;
  if (part->format > cudaResViewFormatFloat4)
    return cudaErrorNotSupported;
  if (part->format != cudaResViewFormatNone && !view_format(part->format, &format))
    return cudaErrorInvalidValue;
  if (gasan_cpu_texel_size(&format) != gasan_cpu_texel_size(&view->format) || !part_fits(view, part))
    return cudaErrorInvalidValue;
  view->format = format;
  view->part = *part;
  view->level_count = part->lastMipmapLevel - part->firstMipmapLevel + 1;
  memmove(view->levels, view->levels + part->firstMipmapLevel, view->level_count * sizeof view->levels[0]);
  for (uint32_t i = 0; (flags & (cudaArrayLayered | cudaArrayCubemap)) && i < view->level_count; i++) {
    view->levels[i].data += part->firstLayer * view->levels[i].slice_pitch;
    view->levels[i].depth = part->lastLayer - part->firstLayer + 1;
  }
  return cudaSuccess;
}

/* Applies a texture description. Returns CUDA's error for settings that the format does not allow. */
static cudaError_t set_reading(struct gasan_cpu_view *view, const struct cudaTextureDesc *texture) {
  struct gasan_cpu_texel_format *format = &view->format;
  for (int i = 0; i < 3; i++)
    if ((unsigned)texture->addressMode[i] > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
  if ((unsigned)texture->filterMode > cudaFilterModeLinear ||
      (unsigned)texture->readMode > cudaReadModeNormalizedFloat ||
      (unsigned)texture->mipmapFilterMode > cudaFilterModeLinear)
    return cudaErrorInvalidValue;
  if (format->kind != GASAN_TEXEL_FLOAT && texture->readMode == cudaReadModeNormalizedFloat) {
    if (format->bits == 32)
      return cudaErrorInvalidNormSetting;
    format->normalized = true;
    format->srgb = texture->sRGB && format->bits == 8 && format->kind == GASAN_TEXEL_UNSIGNED;
  }
  if (texture->filterMode == cudaFilterModeLinear && !gasan_cpu_texel_is_float(format) &&
      view->resource.resType != cudaResourceTypeLinear)
    return cudaErrorInvalidFilterSetting;
  view->texture = *texture;
  return cudaSuccess;
}

static cudaError_t set_texture(struct gasan_cpu_view *view, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *part) {
  cudaError_t error = set_resource(view, resource);
  bool is_array = resource->resType == cudaResourceTypeArray || resource->resType == cudaResourceTypeMipmappedArray;
  if (error == cudaSuccess && part)
    error = is_array ? set_part(view, part) : cudaErrorInvalidValue;
  return error == cudaSuccess ? set_reading(view, texture) : error;
}

static cudaError_t set_surface(struct gasan_cpu_view *view, const struct cudaResourceDesc *resource) {
  if (resource->resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  cudaError_t error = set_resource(view, resource);
  if (error == cudaSuccess && !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
    return cudaErrorInvalidValue;
  return error;
}

/* Returns the object to the program, or destroys the view after an error. */
static cudaError_t finish(struct gasan_cpu_view *view, enum gasan_cpu_view_kind kind, cudaError_t error,
                          unsigned long long *object) {
  if (error != cudaSuccess) {
    gasan_cpu_view_destroy(view);
    return gasan_cpu_result(error);
  }
  view->kind = kind;
  *object = (uintptr_t)view;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const struct cudaResourceViewDesc *part) {
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  if (!object || !resource || !texture)
    return gasan_cpu_result(cudaErrorInvalidValue);
  struct gasan_cpu_view *view = gasan_cpu_view_create();
  if (!view)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  return finish(view, GASAN_VIEW_TEXTURE, set_texture(view, resource, texture, part), object);
}

cudaError_t gasan_cpu_cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  if (!object || !resource)
    return gasan_cpu_result(cudaErrorInvalidValue);
  struct gasan_cpu_view *view = gasan_cpu_view_create();
  if (!view)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  return finish(view, GASAN_VIEW_SURFACE, set_surface(view, resource), object);
}

static cudaError_t destroy(uint64_t object, enum gasan_cpu_view_kind kind) {
  struct gasan_cpu_view *view = gasan_cpu_view_of(object, kind);
  if (object && !view)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (view)
    gasan_cpu_view_destroy(view);
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaDestroyTextureObject(cudaTextureObject_t object) {
  return destroy(object, GASAN_VIEW_TEXTURE);
}

cudaError_t gasan_cpu_cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return destroy(object, GASAN_VIEW_SURFACE);
}

/* Defines a call that returns a member of an object's view. */
#define GET(name, object_type, result_type, view_kind, part)                                                           \
  cudaError_t gasan_cpu_##name(result_type *result, object_type object) {                                              \
    const struct gasan_cpu_view *view = gasan_cpu_view_of(object, view_kind);                                          \
    if (!result || !view)                                                                                              \
      return gasan_cpu_result(cudaErrorInvalidValue);                                                                  \
    *result = view->part;                                                                                              \
    return gasan_cpu_check();                                                                                          \
  }
GET(cudaGetTextureObjectResourceDesc, cudaTextureObject_t, struct cudaResourceDesc, GASAN_VIEW_TEXTURE, resource)
GET(cudaGetTextureObjectTextureDesc, cudaTextureObject_t, struct cudaTextureDesc, GASAN_VIEW_TEXTURE, texture)
GET(cudaGetTextureObjectResourceViewDesc, cudaTextureObject_t, struct cudaResourceViewDesc, GASAN_VIEW_TEXTURE, part)
GET(cudaGetSurfaceObjectResourceDesc, cudaSurfaceObject_t, struct cudaResourceDesc, GASAN_VIEW_SURFACE, resource)

cudaError_t gasan_cpu_cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                           const struct cudaChannelFormatDesc *description,
                                                           int device) {
  struct gasan_cpu_texel_format format;
  if (!width || !description || device != 0)
    return gasan_cpu_result(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  cudaError_t error = gasan_cpu_texel_format_of(description, &format);
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  *width = attribute(cudaDevAttrMaxTexture1DLinearWidth);
  return gasan_cpu_check();
}
