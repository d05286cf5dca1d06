/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that create and destroy texture and surface objects. With halt_on_error=0 a reported call is not made, and
 * returns cudaErrorInvalidValue. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/arrays.h"
#include "gasan_rt/memory/range_check.h"
#include "gasan_rt/report/report_view.h"

/* Fetches clamp to the descriptor's size, not to the allocation's. */
static bool memory_ok(const char *api, const struct cudaResourceDesc *resource) {
  if (resource && resource->resType == cudaResourceTypeLinear)
    return gasan_range_ok(api, GASAN_ACCESS_READ, resource->res.linear.devPtr, resource->res.linear.sizeInBytes);
  if (!resource || resource->resType != cudaResourceTypePitch2D)
    return true;
  size_t row;
  if (__builtin_mul_overflow(resource->res.pitch2D.width, gasan_texel_size(&resource->res.pitch2D.desc), &row))
    return true; /* CUDA refuses a texture of this width */
  return gasan_rows_ok(api, GASAN_ACCESS_READ, resource->res.pitch2D.devPtr, resource->res.pitch2D.pitchInBytes, row,
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
         !gasan_report_freed_array(api, &array, GASAN_ACCESS_READ);
}

static cudaError_t note_created(cudaError_t error, bool is_surface, const unsigned long long *object,
                                const struct cudaResourceDesc *resource, const char *api) {
  if (error == cudaSuccess && object && resource)
    gasan_views_note_created(is_surface, *object, resource, api);
  gasan_device_error_seen(error);
  return error;
}

cudaError_t gasan_call_create_texture_object(struct gasan_call *call, cudaTextureObject_t *object,
                                             const struct cudaResourceDesc *resource,
                                             const struct cudaTextureDesc *description,
                                             const struct cudaResourceViewDesc *view) {
  if (!resource_ok(call->api, resource))
    return gasan_set_error(cudaErrorInvalidValue);
  return note_created(GASAN_CALL_REAL(call, cudaCreateTextureObject)(object, resource, description, view), false,
                      object, resource, call->api);
}

cudaError_t gasan_call_create_surface_object(struct gasan_call *call, cudaSurfaceObject_t *object,
                                             const struct cudaResourceDesc *resource) {
  if (!resource_ok(call->api, resource))
    return gasan_set_error(cudaErrorInvalidValue);
  return note_created(GASAN_CALL_REAL(call, cudaCreateSurfaceObject)(object, resource), true, object, resource,
                      call->api);
}

static cudaError_t destroy(cudaError_t (*real)(unsigned long long object), bool is_surface, unsigned long long object,
                           const char *api) {
  const uint32_t latest = gasan_views_latest();
  cudaError_t error = real(object);
  if (error == cudaSuccess)
    gasan_views_note_destroyed(is_surface, object, latest, api);
  gasan_device_error_seen(error);
  return error;
}

cudaError_t gasan_call_destroy_texture_object(struct gasan_call *call, cudaTextureObject_t object) {
  return destroy(GASAN_CALL_REAL(call, cudaDestroyTextureObject), false, object, call->api);
}

cudaError_t gasan_call_destroy_surface_object(struct gasan_call *call, cudaSurfaceObject_t object) {
  return destroy(GASAN_CALL_REAL(call, cudaDestroySurfaceObject), true, object, call->api);
}
