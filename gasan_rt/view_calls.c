/* Calls that make and destroy texture and surface objects. Under halt_on_error=0 a reported call is not made and
 * returns cudaErrorInvalidValue. */
#include <cuda_runtime_api.h>

#include "gasan_rt/arrays.h"
#include "gasan_rt/device_error.h"
#include "gasan_rt/errors.h"
#include "gasan_rt/range_check.h"
#include "gasan_rt/report_view.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/views.h"

#define EXPORT __attribute__((visibility("default")))

/* Fetches clamp to the size that the descriptor names, not to the allocation. */
static bool memory_ok(const char *api, const struct cudaResourceDesc *resource) {
  if (resource && resource->resType == cudaResourceTypeLinear)
    return gasan_range_ok(api, GASAN_READS, resource->res.linear.devPtr, resource->res.linear.sizeInBytes);
  if (!resource || resource->resType != cudaResourceTypePitch2D)
    return true;
  size_t row;
  if (__builtin_mul_overflow(resource->res.pitch2D.width, gasan_texel_size(&resource->res.pitch2D.desc), &row))
    return true; /* no texture is as wide: CUDA refuses it */
  return gasan_rows_ok(api, GASAN_READS, resource->res.pitch2D.devPtr, resource->res.pitch2D.pitchInBytes, row,
                       resource->res.pitch2D.height);
}

static bool resource_ok(const char *api, const struct cudaResourceDesc *resource) {
  gasan_rt_kind();
  if (!resource || (resource->resType != cudaResourceTypeArray && resource->resType != cudaResourceTypeMipmappedArray))
    return memory_ok(api, resource);
  struct gasan_array array;
  const bool is_mipmapped = resource->resType == cudaResourceTypeMipmappedArray;
  const void *handle =
      is_mipmapped ? (const void *)resource->res.mipmap.mipmap : (const void *)resource->res.array.array;
  return !gasan_array_find(handle, is_mipmapped, &array) || !array.is_freed ||
         !gasan_report_freed_array(api, &array, false);
}

static cudaError_t note_created(cudaError_t error, bool is_surface, const unsigned long long *object,
                                const struct cudaResourceDesc *resource, const char *api) {
  if (error == cudaSuccess && object && resource)
    gasan_views_note_created(is_surface, *object, resource, api);
  gasan_device_error_seen(error);
  return error;
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *description,
                                           const struct cudaResourceViewDesc *view) {
  static const char api[] = "cudaCreateTextureObject";
  if (!resource_ok(api, resource))
    return gasan_set_error(cudaErrorInvalidValue);
  return note_created(GASAN_REAL(cudaCreateTextureObject)(object, resource, description, view), false, object, resource,
                      api);
}

EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
  static const char api[] = "cudaCreateSurfaceObject";
  if (!resource_ok(api, resource))
    return gasan_set_error(cudaErrorInvalidValue);
  return note_created(GASAN_REAL(cudaCreateSurfaceObject)(object, resource), true, object, resource, api);
}

/* The device is never told of the object again, once the number may be another one's. */
#define DESTROY(name, is_surface)                                                                                      \
  EXPORT cudaError_t name(unsigned long long object) {                                                                 \
    gasan_rt_kind();                                                                                                   \
    cudaError_t error = GASAN_REAL(name)(object);                                                                      \
    if (error == cudaSuccess)                                                                                          \
      gasan_views_note_destroyed(is_surface, object, #name);                                                           \
    gasan_device_error_seen(error);                                                                                    \
    return error;                                                                                                      \
  }
DESTROY(cudaDestroyTextureObject, false)
DESTROY(cudaDestroySurfaceObject, true)
